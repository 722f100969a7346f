import { alwaysPattern } from "./arity.ts";
import type { ScannedLine } from "./bash-scan.ts";
import type { PermissionRequest } from "./rule.ts";

/**
 * Before a line of which not everything can be seen. No rule that begins with a command matches that, so
 * such a line is allowed by a person, or by who allows everything.
 */
export const UNSEEN = "unseen: ";

/** They do nothing by themselves. Where `cd` leads is asked apart. */
const idle = new Set(["cd", "true", "false", ":", "[", "[["]);

/** How a line is judged: by each of its commands, and by each file that it writes. */
export function bashRequest(
  line: string,
  scanned: ScannedLine,
): Pick<PermissionRequest, "permission" | "patterns" | "always"> {
  const { commands, writes, isSeen } = scanned;
  const working = commands.filter(({ words, assignments }) => {
    return assignments.length > 0 || !idle.has(words[0] ?? "");
  });
  const judged = working.length + writes.length > 0 ? working : commands;
  const written = writes.map((file) => `> ${file}`);
  const texts = [...judged.map((command) => command.text), ...written];
  const permission = "bash";
  if (!isSeen) return { permission, patterns: unique([UNSEEN + line, ...texts]), always: [] };
  const patterns = texts.length > 0 ? texts : [line.trim()];
  const always = [
    ...judged.map(alwaysPattern),
    ...written.map((text) => (/[*?]/.test(text) ? null : text)),
  ];
  const known = always.filter((pattern) => pattern !== null);
  return {
    permission,
    patterns: unique(patterns),
    always: known.length === always.length ? unique(known) : [],
  };
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)];
}
