import type { Workspace } from "../workspace/workspace.ts";

/** Maximum bytes of rules files that are attached to a read. The rest is omitted, with a note. */
const rulesBytes = 20 * 1_024;

export interface RulesText {
  path: string;
  text: string;
}

/** The nested rules files, and which of them the model already has. */
export interface RulesSource {
  /** Rules files of the folders between `cwd` and the file, outermost first. */
  nested(path: string, cwd: string): Promise<RulesText[]>;
  shown(): ReadonlySet<string>;
}

/**
 * Attaches the rules files for the folder of a file that is read. Each is attached once while the model still
 * has it, even within one step.
 */
export class AttachedRules {
  readonly #source: RulesSource;
  readonly #attached = new Set<string>();

  constructor(source: RulesSource) {
    this.#source = source;
  }

  async for(path: string, workspace: Workspace): Promise<{ paths: string[]; text: string }> {
    const nested = await this.#source.nested(path, workspace.cwd);
    const shown = this.#source.shown();
    const fresh = nested.filter(
      (rules) => rules.path !== path && !shown.has(rules.path) && !this.#attached.has(rules.path),
    );
    for (const rules of fresh) this.#attached.add(rules.path);
    const text = fresh.map((rules) => worded(rules, workspace)).join("\n\n");
    return { paths: fresh.map((rules) => rules.path), text: shortened(text) };
  }
}

function worded({ path, text }: RulesText, workspace: Workspace): string {
  return `Instructions from ${workspace.display(path)}, for work on files of its folder:\n${text.trim()}`;
}

function shortened(text: string): string {
  if (Buffer.byteLength(text) <= rulesBytes) return text;
  const cut = Buffer.from(text).subarray(0, rulesBytes).toString("utf8");
  const whole = cut.slice(0, cut.lastIndexOf("\n"));
  return `${whole}\n(The rest is left out: read the file for it.)`;
}
