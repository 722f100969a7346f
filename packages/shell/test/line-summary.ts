import { analyseLine } from "../src/analyse.ts";
import type { CommandFacts } from "../src/line-facts.ts";
import { openLineParser } from "../src/parse/parse-line.ts";

const parse = await openLineParser({ home: "/home/u" });

/**
 * The effects of a line: `read-only`, or the sorted effects without `read`, then `unknown` and `deviation`. Commands
 * are joined by ` + `.
 */
export function summary(line: string): string {
  const { commands, redirects, unreadable } = analyseLine(line, parse);
  if (unreadable !== null) return `unreadable: ${unreadable}`;
  const parts = commands.filter(({ role }) => role === "run").map(commandSummary);
  return [...parts, ...redirects.map(({ use, word }) => `${use} ${word.text}`)].join(" + ");
}

function commandSummary(facts: CommandFacts): string {
  const effects = [...facts.effects].filter((effect) => effect !== "read").sort();
  const isUnknown = facts.unknown !== null;
  return [
    ...effects,
    ...(isUnknown ? ["unknown"] : effects.length === 0 ? ["read-only"] : []),
    ...(facts.deviation !== null ? ["deviation"] : []),
  ].join(" ");
}

/** The action of the first command, for a rule; null if no rule may widen it. */
export function widened(line: string): string | null {
  const first = analyseLine(line, parse).commands.find(({ role }) => role === "run");
  return first?.isWidenable ? first.action.join(" ") : null;
}

/** The paths of a line's commands, as `use path`, without possible paths (`may`). */
export function pathsOf(line: string): string[] {
  return analyseLine(line, parse).commands.flatMap(({ paths }) =>
    paths.filter(({ use }) => use !== "may").map(({ use, word }) => `${use} ${word.text}`),
  );
}

/** The hosts that a line's commands name. */
export function hostsOf(line: string): string[] {
  return analyseLine(line, parse).commands.flatMap(({ hosts }) => hosts);
}
