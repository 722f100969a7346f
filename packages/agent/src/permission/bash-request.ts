import {
  clausesOf,
  type CommandFacts,
  suggestedRules,
  needsNoRule,
  hasNoEffect,
  isAlteredByProject,
  isReadOnly,
  type Judge,
  type Reason,
  wholeLineReason,
  type Verdict,
} from "@landline/shell";
import { commandCovers, commandMayBe, writeCovers } from "./command-patterns.ts";
import type { PermissionRequest, WantedCommand } from "./rule.ts";

/**
 * Prefix of a line that cannot be parsed. No rule that begins with a command matches it, so only a person or
 * a rule that allows everything can.
 */
export const UNREADABLE = "unreadable: ";

export interface BashSituation {
  /** The line runs in a sandbox, and needs nothing outside it. */
  isConfined?: boolean;
  /** Further reasons to leave the sandbox, for the user. */
  wants?: readonly string[];
}

/** The permission request of a line: one pattern per command and per written file. */
export function bashRequest(
  line: string,
  verdict: Verdict,
  judge: Judge,
  { isConfined = false, wants = [] }: BashSituation = {},
): PermissionRequest {
  const { facts, reasons } = verdict;
  const wantedOf = (command: CommandFacts): WantedCommand => ({
    pattern: command.text,
    isConfined,
    isGuess: command.role !== "run",
    // Read-only modes ask about the command that a wrapper runs, not about the wrapper.
    isReading: command.role === "wrapper" || needsNoRule(command, verdict),
    isCoveredBy: (by) => !isAlteredByProject(command, verdict) && commandCovers(by, command, judge),
    isFoundBy: (by) => commandMayBe(by, command),
  });
  const working = facts.commands.filter((command) => !hasNoEffect(command));
  const written = facts.redirects.filter(({ use }) => use === "write");
  const writes = written.map(({ word }): WantedCommand => {
    const pattern = `> ${word.text}`;
    return { pattern, isConfined, isCoveredBy: (by) => writeCovers(by, pattern) };
  });
  const judged = working.length + writes.length > 0 ? working : facts.commands;
  const patterns = [...judged.map(wantedOf), ...writes];
  // A line with a reason that no pattern expresses is asked about as a whole.
  const isOpen = patterns.length === 0 || wholeLineReason(verdict) !== null;
  const isUnreadable = facts.unreadable !== null;
  const whole = {
    pattern: `${UNREADABLE}${line}`,
    isUnreadable,
    isConfined,
    isCoveredBy: () => false,
  };
  if (isOpen) patterns.unshift(whole);
  const mustAsk = reasons
    .filter(({ code }) => code === "credential" || code === "protected")
    .map(({ message }) => message);
  const hasMisled = facts.commands.some((command) => isAlteredByProject(command, verdict));
  const canRemember = !isOpen && mustAsk.length === 0 && !hasMisled;
  return {
    permission: "bash",
    patterns: unique(patterns),
    ...(canRemember ? rememberable(verdict, writes) : { always: [] }),
    ...(mustAsk.length > 0 && { mustAsk }),
    because: [...clausesOf(reasons.filter(isOfLine)), ...wants],
  };
}

/** Paths outside the project have their own request. */
function isOfLine({ code, about }: Reason): boolean {
  return code !== "outside" || about.kind !== "path";
}

/** What "always" would allow: the forms of all commands that need permission, and the written files. */
function rememberable(
  { facts }: Verdict,
  writes: readonly WantedCommand[],
): Pick<PermissionRequest, "always" | "alsoAllows"> {
  const asked = facts.commands.filter((command) => !isReadOnly(command));
  const commands = asked.length + writes.length > 0 ? asked : facts.commands;
  const forms = suggestedRules({ ...facts, commands });
  const files = writes.map(({ pattern }) => pattern);
  if (forms === null || files.some((pattern) => /[*?]/.test(pattern))) return { always: [] };
  const always = [...new Set([...forms.map(({ pattern }) => pattern), ...files])];
  // These quotes delimit the pattern in the option's name.
  if (always.some((pattern) => /[“”]/u.test(pattern))) return { always: [] };
  const also = new Set(forms.flatMap((form) => form.also ?? []));
  return {
    always,
    ...(also.size > 0 && { alsoAllows: [...also] }),
  };
}

/** Of patterns with the same text, keep one that runs for certain. */
function unique(patterns: readonly WantedCommand[]): WantedCommand[] {
  const found = new Map<string, WantedCommand>();
  for (const wanted of patterns)
    if (found.get(wanted.pattern)?.isGuess !== false) found.set(wanted.pattern, wanted);
  return [...found.values()];
}
