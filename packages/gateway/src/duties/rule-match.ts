import { isAbsolute, relative, sep } from "node:path";
import { handsOver } from "./any-command.ts";
import { mayRun, plainWords, startsWith } from "./command-line.ts";
import { matchesGlob } from "./glob.ts";
import type { AskFacts, CommandFacts, PathFacts, Rule } from "./rule.ts";

/**
 * Whether a rule speaks about an ask. A rule that allows must be sure: everything that the call touches is
 * known, lies inside the project, and is what the rule names. One that asks or denies needs only a reason.
 */
export function isAbout(rule: Rule, facts: AskFacts): boolean {
  const { what } = rule;
  return (
    isPlaceOf(rule, facts) &&
    (what.agent === undefined || what.agent === facts.agent) &&
    (what.toolKind === undefined || what.toolKind === facts.toolKind) &&
    (what.toolName === undefined || what.toolName === facts.toolName) &&
    (rule.decision === "allow" ? isSurelyAbout(rule, facts) : mayBeAbout(rule, facts))
  );
}

function isPlaceOf({ where }: Rule, facts: AskFacts): boolean {
  if (where.in === "session") return where.sessionId === facts.sessionId;
  return where.in === "everywhere" || isInside(facts.cwd, where.folder);
}

function isSurelyAbout(rule: Rule, facts: AskFacts): boolean {
  const { commandPrefix, pathGlob, host } = rule.what;
  const { command, paths, arePathsKnown } = facts;
  if (host !== undefined && !fetchesOnly(host, facts)) return false;
  const folders = foldersOf(rule, facts);
  const isCovered = (path: string) =>
    folders.some((folder) => isInside(path, folder)) &&
    !facts.closed.some((folder) => isInside(path, folder));
  if (command !== null) {
    const isHere = command.cwd === null || isCovered(command.cwd);
    // A path says nothing about what a command does.
    return isHere && pathGlob === undefined && isAllowedCommand(commandPrefix, command);
  }
  if (commandPrefix !== undefined) return false;
  if (!arePathsKnown || !paths.every(({ real }) => isCovered(real))) return false;
  if (paths.length === 0) return pathGlob === undefined && !touching.has(facts.toolKind);
  return pathGlob === undefined || paths.every(({ real }) => isNamed(real, pathGlob, folders));
}

function fetchesOnly(host: string, facts: AskFacts): boolean {
  return (
    facts.toolKind === "fetch" && saysFromWhere(facts) && facts.hosts.every((one) => one === host)
  );
}

const saysFromWhere = ({ hosts, areHostsKnown }: AskFacts): boolean =>
  areHostsKnown && hosts.length > 0;

/** A call of these kinds that does not say which files it touches may touch any. */
export const touching: ReadonlySet<string | null> = new Set(["read", "edit", "delete", "move"]);

function isAllowedCommand(prefix: string | undefined, command: CommandFacts): boolean {
  if (prefix === undefined) return true;
  if (!command.isWhole) return false;
  const { line } = command;
  // Words that are run without a shell must not mean anything to one either: an agent may join them.
  const read = plainWords(typeof line === "string" ? line : line.join(" "));
  if (read === null) return false;
  const words = typeof line === "string" ? read : line;
  const start = plainWords(prefix) ?? [];
  return startsWith(words, start) && !handsOver(words[0] ?? "", words.slice(start.length));
}

function mayBeAbout(rule: Rule, facts: AskFacts): boolean {
  const { commandPrefix, pathGlob, host } = rule.what;
  const folders = foldersOf(rule, facts);
  return (
    (host === undefined || mayFetch(host, facts)) &&
    (commandPrefix === undefined || mayRunIt(facts.command, commandPrefix)) &&
    (pathGlob === undefined || facts.paths.some((path) => isEither(path, pathGlob, folders)))
  );
}

/** One that does not say from where may fetch from anywhere. */
function mayFetch(host: string, facts: AskFacts): boolean {
  const isNamedHost = facts.hosts.some((one) => one === host || one.replace(/:\d+$/, "") === host);
  return isNamedHost || (facts.toolKind === "fetch" && !saysFromWhere(facts));
}

function mayRunIt(command: CommandFacts | null, prefix: string): boolean {
  const words = plainWords(prefix);
  return command !== null && words !== null && mayRun(command.line, words);
}

const isEither = (path: PathFacts, glob: string, folders: readonly string[]): boolean =>
  [path.named, path.real].some(
    (each) => matchesGlob(slashed(each), glob) || isNamed(each, glob, folders),
  );

/** What "the project" is: the rule's folder, or the session's. */
function foldersOf({ where }: Rule, facts: AskFacts): readonly string[] {
  return where.in === "project" ? [where.folder] : [facts.cwd, ...facts.roots];
}

function isNamed(path: string, glob: string, folders: readonly string[]): boolean {
  if (isAbsolute(glob)) return matchesGlob(slashed(path), glob);
  return folders.some(
    (folder) => isInside(path, folder) && matchesGlob(slashed(relative(folder, path)), glob),
  );
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const slashed = (path: string): string => (sep === "/" ? path : path.replaceAll(sep, "/"));
