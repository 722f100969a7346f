import { isAbout, isInside, isUsedFor, touching } from "./rule-match.ts";
import { plainWords } from "./command-prefix.ts";
import type { RuleInput, CommandUse, Rule } from "./rule.ts";

/** Why no allow rule covers a call that some of them concern, each as a clause; empty if none concerns it. */
export function reasonsNotCovered(rules: readonly Rule[], facts: RuleInput): readonly string[] {
  const about = rules.filter((rule) => isAllowAbout(rule, facts));
  if (about.length === 0) return [];
  const reasons = [
    ...facts.unknown,
    ...placeReasons(facts),
    ...facts.commands.flatMap(({ unclear }) => unclear ?? []),
    ...commandReasons(about, facts),
  ];
  return [...new Set(reasons)];
}

/** Whether the rule would match if it were an ask rule. A rule for commands that only read matches those. */
function isAllowAbout(rule: Rule, facts: RuleInput): boolean {
  if (rule.decision !== "allow" || !isUsedFor(rule, facts)) return false;
  const { onlyReads, ...what } = rule.what;
  const isRead = facts.commands.length > 0 && facts.commands.every(readsOnly);
  return (!onlyReads || isRead) && isAbout({ ...rule, what, decision: "ask" }, facts);
}

const readsOnly = (command: CommandUse): boolean => command.uncovered([]).length === 0;

function placeReasons({ cwd, roots, closed, commands, ...facts }: RuleInput): readonly string[] {
  const folders = [cwd, ...roots];
  const places = commands.map(({ folder }) => ({ named: folder, real: folder }));
  const paths = [...facts.paths, ...places, ...commands.flatMap((command) => command.paths)];
  const isSilent =
    paths.length === 0 && commands.length === 0 && facts.kinds.some((kind) => touching.has(kind));
  return [
    ...(isSilent ? ["it does not name its files"] : []),
    ...(facts.arePathsKnown ? [] : ["it is not known which files it touches"]),
    ...paths.flatMap(({ named, real }) => {
      if (real === "") return ["it is not known in which folder it runs"];
      if (closed.some((folder) => isInside(real, folder)))
        return [`${named} belongs to the gateway's data`];
      const isHere = folders.some((folder) => isInside(real, folder));
      return isHere ? [] : [`${named} is outside the project`];
    }),
  ];
}

function commandReasons(about: readonly Rule[], { commands }: RuleInput): readonly string[] {
  // A rule without a command prefix covers all commands.
  if (!about.every(({ what }) => what.commandPrefix !== undefined || what.onlyReads)) return [];
  const prefixes = about.flatMap(({ what: { commandPrefix } }) =>
    commandPrefix === undefined ? [] : [plainWords(commandPrefix) ?? []],
  );
  return commands.flatMap((command) => {
    const { line, facts } = command;
    const reasons = [...command.uncovered(prefixes)];
    if (facts.redirects.some(({ use }) => use === "write"))
      reasons.push("it writes its output into a file");
    // It only reads, but its words differ from the rule's.
    const isMissed =
      reasons.length === 0 && !prefixes.some((prefix) => command.isCoveredBy(prefix));
    return isMissed && !about.some(({ what }) => what.onlyReads)
      ? `no rule covers “${typeof line === "string" ? line : line.join(" ")}”`
      : reasons;
  });
}
