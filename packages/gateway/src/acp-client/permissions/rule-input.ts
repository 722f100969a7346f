import { callCommands } from "./call-commands.ts";
import { type JudgedCommand, protectionClause } from "./command-use.ts";
import type { CallNames } from "../../tool-calls/call-names.ts";
import type { SessionContext } from "../session-context.ts";
import { pathFacts, realOf, writtenPath } from "../real-path.ts";
import type { RuleInput, PathFacts } from "./rule.ts";
import { openShell, type Shell } from "./shell-analysis.ts";

/** Collects what rules are compared with, from everything that a call named. All of it comes from the agent. */
export async function collectRuleInput(
  context: SessionContext,
  names: CallNames,
): Promise<RuleInput> {
  const shell = await openShell();
  const cwd = await realFolder(context.cwd);
  const roots = await Promise.all(context.roots.map(realFolder));
  const named = await follow(names.paths, context);
  const maybe = await follow(names.others.filter(mayBePath), context);
  const { commands, maybeCommands, unknown, unread } = await callCommands(names, shell, {
    folderOf: (folder) => folderOf(context, folder),
    roots: [cwd, ...roots],
  });
  const isCut = named.isCut || maybe.isCut;
  return {
    sessionId: context.sessionId,
    agent: context.agent,
    cwd,
    roots,
    closed: await Promise.all((context.closed ?? []).map(realFolder)),
    kinds: names.kinds,
    names: names.names,
    commands,
    maybeCommands,
    paths: named.paths,
    maybePaths: maybe.paths,
    arePathsKnown: named.areKnown && maybe.areKnown,
    hasDiff: names.hasDiff,
    ...hostsOf(names),
    unknown: [...new Set([...names.unknown, ...unknown])],
    unread: [
      ...names.unread,
      ...unread,
      ...(isCut ? ["it names more files than can be checked"] : []),
    ],
    protections: protectionsOf(names, [...named.paths, ...maybe.paths], commands, shell),
  };
}

function protectionsOf(
  names: CallNames,
  paths: readonly PathFacts[],
  commands: readonly JudgedCommand[],
  shell: Shell,
): readonly string[] {
  const isRead = names.kinds.length > 0 && !names.hasDiff && names.kinds.every(isReadingKind);
  const ofPaths = paths.flatMap((path) => protectionClause(path, shell, isRead) ?? []);
  return [...new Set([...ofPaths, ...commands.flatMap(({ protections }) => protections)])];
}

const isReadingKind = (kind: string): boolean => kind === "read" || kind === "search";

interface Followed {
  readonly paths: readonly PathFacts[];
  /** False if one of them cannot be resolved. */
  readonly areKnown: boolean;
  /** There are more than `askPaths`. */
  readonly isCut: boolean;
}

/** The real paths. Unresolved paths stay as written, so that deny rules match them. */
async function follow(
  paths: readonly string[],
  { limits, cwd }: SessionContext,
): Promise<Followed> {
  const some = paths.slice(0, limits.askPaths);
  const followed = await Promise.all(some.map((path) => pathFacts(path, cwd)));
  const all = paths.flatMap((path, at): PathFacts | readonly PathFacts[] => {
    const named = writtenPath(path, cwd);
    return followed[at] ?? (named === null ? [] : [{ named, real: named }]);
  });
  const isCut = paths.length > some.length;
  return { paths: all, areKnown: !isCut && !followed.includes(null), isCut };
}

/** A text of an unknown field that is neither a URL nor prose. */
function mayBePath(text: string): boolean {
  if (/\n|^https?:/i.test(text)) return false;
  return text.length <= 4_096 && text.split("/").every((name) => name.length <= 255);
}

/** Resolves links in folders, because paths are compared with links resolved. */
async function realFolder(folder: string): Promise<string> {
  return (await realOf(folder)) ?? folder;
}

/** A folder that cannot be resolved is in no project. */
async function folderOf(context: SessionContext, cwd: string | null): Promise<string> {
  if (cwd === null) return realFolder(context.cwd);
  return (await pathFacts(cwd, context.cwd))?.real ?? "";
}

function hostsOf({ urls, areUrlsKnown }: CallNames): Pick<RuleInput, "hosts" | "areHostsKnown"> {
  const read = urls.map(hostOf);
  const hosts = new Set(read.filter((host) => host !== null));
  return { hosts: [...hosts], areHostsKnown: areUrlsKnown && !read.includes(null) };
}

/**
 * The host as an HTTP client reads it: without a user name or a trailing dot. Null if clients disagree: for some a
 * backslash ends the host, and some remove white space.
 */
function hostOf(url: string): string | null {
  if (/[\\\s\p{Cc}]/u.test(url)) return null;
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null;
  return parsed.host.replace(/\.(?=$|:\d+$)/, "");
}

/**
 * Whether the text is written like the host of a URL. Patterns and default ports are not, because no URL would match
 * them.
 */
export function isHost(text: string): boolean {
  const isWhole = ["http", "https"].every((scheme) => hostOf(`${scheme}://${text}`) === text);
  return isWhole && !text.includes("*");
}

export const hostPlaceholder =
  "must be a host, such as example.com or localhost:8080, without the ports 80 and 443";
