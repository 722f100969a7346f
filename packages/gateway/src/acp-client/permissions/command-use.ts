import type { CommandFacts, Line, Verdict } from "@landline/shell";
import type { CommandUse, PathFacts } from "./rule.ts";
import type { Shell } from "./shell-analysis.ts";

export interface CommandPlace {
  /** The real path of its folder; empty if it cannot be resolved. */
  readonly folder: string;
  /** The real paths of the session's folders. */
  readonly roots: readonly string[];
}

/** A command with everything that it touches, and why only a person may allow it. */
export interface JudgedCommand extends CommandUse {
  readonly protections: readonly string[];
}

export async function judgeCommand(
  line: Line,
  { folder, roots }: CommandPlace,
  shell: Shell,
): Promise<JudgedCommand> {
  const cwd = folder || (roots[0] ?? "/");
  const path = process.env["PATH"];
  const verdict = await shell.judge(line, { cwd, roots, ...(path !== undefined && { path }) });
  const asked = verdict.reasons.filter(({ code }) => code === "credential" || code === "protected");
  const resolved = verdict.paths.map(({ named, real, use, search }): PathFacts => {
    const isTree = use === "search" || use === "delete" || use === "write";
    const below = search?.hidden === false ? "visible" : "all";
    return isTree ? { named, real, below } : { named, real };
  });
  return {
    line,
    folder,
    facts: verdict.facts,
    paths: resolved,
    isFree: verdict.reasons.length === 0,
    unclear: shell.wholeLineReason(verdict),
    protections: asked.map(({ message }) => message),
    isCoveredBy: (prefix) => shell.coversLine(commandsOf(prefix, shell), verdict),
    uncovered: (prefixes) => uncoveredReasons(verdict, prefixes, shell),
  };
}

/** The words may run another command: `rg --pre ./x`. */
function commandsOf(words: Line, shell: Shell): readonly CommandFacts[] {
  return shell.analyse(words).commands.filter(({ role }) => role === "run");
}

function uncoveredReasons(
  verdict: Verdict,
  prefixes: readonly (readonly string[])[],
  shell: Shell,
): readonly string[] {
  const allowed = prefixes.flatMap((words) => commandsOf(words, shell));
  return verdict.facts.commands.flatMap((command) => {
    const isAllowed =
      command.role !== "run" ||
      shell.needsNoRule(command, verdict) ||
      allowed.some((prefix) => shell.coversCommand(prefix, command, verdict));
    if (isAllowed) return [];
    const because = command.unknown ?? command.deviation;
    return because === null ? `no rule covers “${command.text}”` : `“${command.text}”: ${because}`;
  });
}

/** An agent may join the words of a program and pass them to a shell. */
export function readings(line: Line): readonly Line[] {
  if (typeof line === "string") return [line];
  const [program = "", flag = ""] = line;
  const isShell = /(?:^|\/)(?:ba|z|da|k)?sh$/.test(program) && /^-\w*c$/.test(flag);
  const isPlain = isShell || line.every((word) => /^[^\s;&|<>(){}$`\\#!'"]*$/.test(word));
  return isPlain ? [line] : [line, line.join(" ")];
}

/** Why only a person may allow a change of the path, as a clause. */
export function protectionClause(
  { named, real }: PathFacts,
  { protectionReason }: Pick<Shell, "protectionReason">,
  isRead = false,
): string | null {
  return protectionReason([real, named], isRead ? "read" : "write", named)?.message ?? null;
}
