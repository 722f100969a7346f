import type { Workspace } from "../workspace/workspace.ts";

/** Rules files that come with a file that is read. The rest is left out, and the model is told where it is. */
const rulesBytes = 20 * 1_024;

export interface RulesText {
  path: string;
  text: string;
}

/** Where rules for a part of a project come from, and which of them the model has before it. */
export interface RulesSource {
  /** Those of the folders between `cwd` and the file, outermost first. */
  nested(path: string, cwd: string): Promise<RulesText[]>;
  shown(): ReadonlySet<string>;
}

/**
 * Rules files for the folder of a file that is read. Each comes once: not again while the model still has
 * it before it, nor with another file of the same step.
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
