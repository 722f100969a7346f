import { isAbsolute, relative, sep } from "node:path";
import type { CommandFacts } from "@landline/shell";
import { plainWords } from "./command-prefix.ts";
import { matchesGlob } from "./glob.ts";
import type { RuleInput, CommandUse, PathFacts, Rule } from "./rule.ts";

/**
 * Whether a rule matches a permission request. A rule that allows must cover everything that the call named: all of it was read, is
 * known, is inside the project, is not protected, and is what the rule names. One that asks or denies needs one match.
 */
export function isAbout(rule: Rule, facts: RuleInput): boolean {
  if (!isUsedFor(rule, facts)) return false;
  return rule.decision === "allow" ? covers(rule, facts) : mayBeAbout(rule, facts);
}

/** Whether the rule applies to this agent in this place, regardless of the call. */
export function isUsedFor(rule: Rule, facts: RuleInput): boolean {
  const { agent = facts.agent } = rule.what;
  return agent === facts.agent && isPlaceOf(rule, facts);
}

function isPlaceOf({ where }: Rule, facts: RuleInput): boolean {
  if (where.in === "session") return where.sessionId === facts.sessionId;
  return where.in === "everywhere" || isInside(facts.cwd, where.folder);
}

/** Kinds of calls that touch files. A call that does not name its files may touch any. */
export const touching: ReadonlySet<string> = new Set(["read", "edit", "delete", "move"]);

function covers(rule: Rule, facts: RuleInput): boolean {
  const { toolKind, toolName, commandPrefix, pathGlob, host, onlyReads } = rule.what;
  const { kinds, names, commands, paths } = facts;
  if (facts.unread.length > 0 || facts.protections.length > 0) return false;
  if (!isWhole(rule, facts)) return false;
  if (toolKind !== undefined && !isOnly(kinds, toolKind)) return false;
  if (toolName !== undefined && !isOnly(names, toolName)) return false;
  if (host !== undefined && !fetchesOnly(host, facts)) return false;
  const folders = foldersOf(rule, facts);
  const isHere = (path: PathFacts) => isOpen(path, folders, facts.closed);
  if (!facts.arePathsKnown || !paths.every(isHere)) return false;
  const isAboutCommands = commandPrefix !== undefined || onlyReads === true;
  if (isAboutCommands && (commands.length === 0 || changesFiles(facts))) return false;
  if (commands.length > 0) return coversCommands(rule, facts, isHere);
  if (paths.length === 0) return pathGlob === undefined && !kinds.some((one) => touching.has(one));
  return pathGlob === undefined || paths.every(({ real }) => isNamed(real, pathGlob, folders));
}

/**
 * Whether everything about the call is known. A tool that a rule names may have its own fields, unless it runs commands
 * or touches files.
 */
function isWhole({ what }: Rule, facts: RuleInput): boolean {
  if (facts.unknown.length === 0) return true;
  const isOther = !facts.kinds.some((kind) => kind === "execute" || touching.has(kind));
  return what.toolName !== undefined && isOther && isTextOnly(facts);
}

function isTextOnly({ commands, paths, maybePaths, cwd, roots, closed }: RuleInput): boolean {
  const folders = [cwd, ...roots];
  return (
    commands.length === 0 &&
    paths.length === 0 &&
    maybePaths.every((path) => isOpen(path, folders, closed))
  );
}

function isOnly(named: readonly string[], wanted: string): boolean {
  return named.length > 0 && named.every((one) => one === wanted);
}

function fetchesOnly(host: string, facts: RuleInput): boolean {
  return (
    isOnly(facts.kinds, "fetch") && saysFromWhere(facts) && facts.hosts.every((one) => one === host)
  );
}

const saysFromWhere = ({ hosts, areHostsKnown }: RuleInput): boolean =>
  areHostsKnown && hosts.length > 0;

function changesFiles({ kinds, hasDiff }: RuleInput): boolean {
  return hasDiff || kinds.some((kind) => kind !== "read" && touching.has(kind));
}

function coversCommands(
  { what }: Rule,
  facts: RuleInput,
  isHere: (path: PathFacts) => boolean,
): boolean {
  const { toolKind, toolName } = what;
  // A path does not describe what a command does.
  if (what.pathGlob !== undefined || what.host !== undefined) return false;
  if (toolKind === "execute" && changesFiles(facts)) return false;
  const isForCommands = toolKind === undefined || toolKind === "execute" || toolName !== undefined;
  const isForReading = toolKind === "read" || toolKind === "search";
  if (!isForCommands && !isForReading) return false;
  const prefix = what.commandPrefix === undefined ? null : (plainWords(what.commandPrefix) ?? []);
  return facts.commands.every(
    (command) =>
      command.unclear === null &&
      isHere({ named: command.folder, real: command.folder }) &&
      command.paths.every(isHere) &&
      ((what.onlyReads !== true && isForCommands) || command.isFree) &&
      (prefix === null || command.isCoveredBy(prefix)),
  );
}

/** Inside one of the folders, and not in the gateway's own data. */
function isOpen(path: PathFacts, folders: readonly string[], closed: readonly string[]): boolean {
  const { real } = path;
  if (real === "" || !folders.some((folder) => isInside(real, folder))) return false;
  return !closed.some((folder) => isInside(real, folder) || reaches(path, folder));
}

function reaches({ real, below }: PathFacts, folder: string): boolean {
  if (below === undefined || !isInside(folder, real)) return false;
  const isHidden = relative(real, folder)
    .split(sep)
    .some((name) => name.startsWith("."));
  return below === "all" || !isHidden;
}

function mayBeAbout(rule: Rule, facts: RuleInput): boolean {
  const { toolKind, toolName, commandPrefix, pathGlob, host, onlyReads } = rule.what;
  const folders = foldersOf(rule, facts);
  return (
    onlyReads === undefined &&
    (toolKind === undefined || facts.kinds.includes(toolKind)) &&
    (toolName === undefined || facts.names.includes(toolName)) &&
    (host === undefined || mayFetch(host, facts)) &&
    (commandPrefix === undefined || mayRun(facts, plainWords(commandPrefix) ?? [])) &&
    (pathGlob === undefined || allPaths(facts).some((path) => isEither(path, pathGlob, folders)))
  );
}

function allPaths({ paths, maybePaths, commands }: RuleInput): readonly PathFacts[] {
  return [...paths, ...maybePaths, ...commands.flatMap((command) => command.paths)];
}

/** A call that does not name its host may fetch from any. */
function mayFetch(host: string, facts: RuleInput): boolean {
  const named = [...facts.hosts, ...allCommands(facts).flatMap((command) => command.hosts)];
  const isNamedHost = named.some((one) => one === host || one.replace(/:\d+$/, "") === host);
  return isNamedHost || (facts.kinds.includes("fetch") && !saysFromWhere(facts));
}

function allCommands({ commands, maybeCommands }: RuleInput): readonly CommandFacts[] {
  const lines = [...commands.map(({ facts }: CommandUse) => facts), ...maybeCommands];
  return lines.flatMap((line) => line.commands);
}

/** In any spelling: `git -C x push` is a `git push`, and `git $X` may be one. */
function mayRun(facts: RuleInput, prefix: readonly string[]): boolean {
  const [name = "", ...rest] = prefix;
  const found = argumentsByName(facts).get(name) ?? [];
  return (
    name !== "" &&
    found.some(({ words, isCut }) =>
      rest.every((word, at) => words[at] === word || (isCut && at >= words.length)),
    )
  );
}

interface Arguments {
  readonly words: readonly string[];
  /** Further arguments follow that only the shell can determine. */
  readonly isCut: boolean;
}

/** Cached, because many rules are compared with the same facts. */
const kept = new WeakMap<RuleInput, ReadonlyMap<string, readonly Arguments[]>>();

/** The words after the name of each program that a call runs or may run. */
function argumentsByName(facts: RuleInput): ReadonlyMap<string, readonly Arguments[]> {
  const known = kept.get(facts);
  if (known) return known;
  const byName = new Map<string, Arguments[]>();
  for (const { words, fixedWords, spellings } of allCommands(facts)) {
    const rest = words.slice(1, fixedWords);
    const isOpenEnded = fixedWords > 0 && fixedWords < words.length;
    for (const [name = "", ...following] of spellings) {
      const found = byName.get(name) ?? [];
      byName.set(name, found);
      found.push({ words: following, isCut: false });
      if (isOpenEnded) found.push({ words: rest, isCut: true });
    }
  }
  kept.set(facts, byName);
  return byName;
}

const isEither = (path: PathFacts, glob: string, folders: readonly string[]): boolean =>
  [...new Set([path.named, path.real])].some(
    (each) => matchesGlob(slashed(each), glob) || isNamed(each, glob, folders),
  );

/** The folders of "the project": the rule's folder, or the session's. */
function foldersOf({ where }: Rule, facts: RuleInput): readonly string[] {
  return where.in === "project" ? [where.folder] : [...new Set([facts.cwd, ...facts.roots])];
}

function isNamed(path: string, glob: string, folders: readonly string[]): boolean {
  if (isAbsolute(glob)) return matchesGlob(slashed(path), glob);
  return folders.some((folder) => {
    const way = relative(folder, path);
    return isWayDown(way) && matchesGlob(slashed(way), glob);
  });
}

export function isInside(path: string, folder: string): boolean {
  return isWayDown(relative(folder, path));
}

function isWayDown(way: string): boolean {
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const slashed = (path: string): string => (sep === "/" ? path : path.replaceAll(sep, "/"));
