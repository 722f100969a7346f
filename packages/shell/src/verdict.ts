import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { CommandFacts, Effect, LineFacts, SearchScope, Use } from "./line-facts.ts";
import { effectText } from "./effects.ts";
import { repositoryRisk } from "./git/repository-risk.ts";
import { credentialsBelow } from "./paths/credentials-below.ts";
import { FileSnapshot } from "./paths/file-snapshot.ts";
import { isInvalidUtf8 } from "./paths/folder-entries.ts";
import { isWithin, realPath } from "./paths/real-path.ts";
import { resolveUses, type ResolvedUse } from "./paths/resolve-paths.ts";
import { protectionReason } from "./protected-paths.ts";
import { helpersOf } from "./programs/helper-programs.ts";

/** Why a line needs permission. */
export interface Reason {
  readonly code: ReasonCode;
  /** For people: a clause that follows "because". */
  readonly message: string;
  readonly about: Subject;
}

export type ReasonCode =
  | "unreadable"
  | "unknown"
  | Exclude<Effect, "read">
  | "outside"
  | "credential"
  | "protected"
  | "repository";

/**
 * What a reason is about. `program`: the project or the repository makes this program do more than the facts of its
 * commands say. `line`: no rule for a command or a path covers it.
 */
export type Subject =
  | { readonly kind: "command"; readonly command: CommandFacts }
  | { readonly kind: "path"; readonly path: ResolvedUse }
  | { readonly kind: "program"; readonly program: string }
  | { readonly kind: "redirect" | "line" };

/** Where a line would run. */
export interface LineContext {
  /** The folder that it starts in. */
  readonly cwd: string;
  /** The folders of the project. */
  readonly roots: readonly string[];
  /** Folders outside the project that may be read. */
  readonly readable?: readonly string[];
  readonly home?: string;
  /** The `PATH` of the line. */
  readonly path?: string;
}

/** The result for one line. */
export interface Verdict {
  readonly facts: LineFacts;
  /** Every path after expansion, with links followed. */
  readonly paths: readonly ResolvedUse[];
  /** All paths that are neither in the project nor readable; `reasons` contains only the first few. */
  readonly outside: readonly ResolvedUse[];
  /** Empty if the line only reads inside the project, and needs no permission. */
  readonly reasons: readonly Reason[];
}

export type Line = string | readonly string[];

/** Analyses lines, without (`analyse`) and with (`judge`) a look at the file system. */
export interface Judge {
  analyse(line: Line): LineFacts;
  judge(line: Line, context: LineContext): Promise<Verdict>;
}

/** Loads the program tables and the grammar on first use; importing this module does not load them. */
export async function openJudge(home: string = homedir()): Promise<Judge> {
  const [{ analyseLine, analyseWords }, { openLineParser }] = await Promise.all([
    import("./analyse.ts"),
    import("./parse/parse-line.ts"),
  ]);
  const parse = await openLineParser({ home });
  const analyse = (given: Line): LineFacts => {
    try {
      return typeof given === "string" ? analyseLine(given, parse) : analyseWords(given, parse);
    } catch (error) {
      // The line is nested deeper than the stack allows.
      if (error instanceof RangeError) return tooDeep;
      throw error;
    }
  };
  return {
    analyse,
    judge: (given, context) => judge(analyse(given), { home, ...context }),
  };
}

const tooDeep: LineFacts = {
  commands: [],
  redirects: [],
  startsWithChange: false,
  unreadable: "it is nested too deeply to analyse",
};

async function judge(facts: LineFacts, given: LineContext & { home: string }): Promise<Verdict> {
  const [roots, readable] = await Promise.all([
    realFolders(given.roots),
    realFolders(given.readable ?? []),
  ]);
  const programFolders = given.path ? given.path.split(delimiter) : [];
  const near = [given.cwd, ...given.roots, ...roots, ...programFolders.filter(isAbsolute)];
  const disk = new FileSnapshot(near);
  const context = { ...given, roots, readable, disk, programFolders };
  const { paths, unresolved, folders } = await resolveUses(facts, context);
  const outside = paths.filter((path) => isOutside(path, context));
  const reasons = new Reasons();
  addFacts(facts, reasons);
  for (const { message } of unresolved) reasons.add("unknown", message, line);
  for (const path of outside) reasons.add("outside", outsideMessage(path), { kind: "path", path });
  await addPaths(paths, context, reasons);
  // Needed even if there are other reasons, because rules may cover those.
  await addRepositories(facts, folders, disk, reasons);
  await addShadowedPrograms(facts, folders, context, reasons);
  return { facts, paths, outside, reasons: reasons.all };
}

/** With links in `roots` and `readable` followed. */
interface JudgedContext extends LineContext {
  readonly disk: FileSnapshot;
  /** The entries of `PATH`. An empty one means the current folder. */
  readonly programFolders: readonly string[];
}

function realFolders(folders: readonly string[]): Promise<string[]> {
  return Promise.all(folders.map((folder) => realPath(folder)));
}

function isOutside({ use, real }: ResolvedUse, { roots, readable = [] }: LineContext): boolean {
  const allowed = changing.has(use) ? roots : [...roots, ...readable];
  return !allowed.some((folder) => isWithin(folder, real));
}

/** A glob may match many files, of which only the first few are listed. */
const reasonsPerCodeMax = 5;
const pathCodes = new Set<ReasonCode>(["outside", "credential", "protected"]);

const line: Subject = { kind: "line" };

class Reasons {
  readonly all: Reason[] = [];
  readonly #messages = new Map<ReasonCode, Set<string>>();

  add(code: ReasonCode, message: string, about: Subject): void {
    const messages = this.#messages.get(code) ?? new Set();
    if (messages.has(message)) return;
    if (pathCodes.has(code) && messages.size >= reasonsPerCodeMax) return;
    this.#messages.set(code, messages.add(message));
    this.all.push({ code, message, about });
  }
}

function addFacts({ commands, redirects, unreadable }: LineFacts, reasons: Reasons): void {
  if (unreadable !== null) reasons.add("unreadable", unreadable, line);
  for (const command of commands.filter(({ role }) => role === "run")) {
    const about = { kind: "command", command } as const;
    if (command.unknown !== null) reasons.add("unknown", command.unknown, about);
    for (const effect of command.effects)
      if (effect !== "read") reasons.add(effect, `${nameOf(command)} ${effectText[effect]}`, about);
  }
  for (const { use, word } of redirects)
    if (use === "write") reasons.add("write", `it writes to ${word.text}`, { kind: "redirect" });
}

function nameOf({ action, words }: CommandFacts): string {
  return (action.length > 0 ? action : words.slice(0, 1)).slice(0, 3).join(" ") || "it";
}

/** An unknown command may change the files that it names. */
const changing = new Set<Use>(["write", "delete", "may"]);
const touching = new Set<Use>(["read", "search", "load", "write", "delete", "may"]);

async function addPaths(
  paths: readonly ResolvedUse[],
  context: JudgedContext,
  reasons: Reasons,
): Promise<void> {
  for (const path of paths) {
    const { use, named, real, search } = path;
    const access = changing.has(use) ? "write" : "read";
    const protection = touching.has(use) ? protectionReason([real, named], access, named) : null;
    if (protection) reasons.add(protection.kind, protection.message, { kind: "path", path });
    if (search && !isOutside(path, context)) await addSearch(path, search, context, reasons);
  }
}

async function addSearch(
  path: ResolvedUse,
  scope: SearchScope,
  { roots, disk }: JudgedContext,
  reasons: Reasons,
): Promise<void> {
  const found = await credentialsBelow(path.real, scope, roots, disk);
  switch (found?.kind) {
    case "credential":
      return reasons.add("credential", `${found.path} may be a credential`, { kind: "path", path });
    case "link-out":
      reasons.add("outside", `${found.path} leads outside the project`, line);
      // There may be more such links, so a rule for one folder must not cover the search.
      return reasons.add(
        "unknown",
        `${path.named} contains links that lead outside the project`,
        line,
      );
    case "too-many":
      return reasons.add(
        "unknown",
        `${path.named} contains too many files to check for credentials`,
        line,
      );
    case undefined:
  }
}

function outsideMessage({ named, real }: ResolvedUse): string {
  if (isInvalidUtf8(real)) return `the target of ${named} is not known`;
  return named === real
    ? `${named} is outside the project`
    : `${named} leads to ${real}, outside the project`;
}

/** Read-only git commands must not run code from the repository. */
async function addRepositories(
  facts: LineFacts,
  folders: readonly string[],
  disk: FileSnapshot,
  reasons: Reasons,
): Promise<void> {
  if (!facts.commands.some(({ program }) => program === "git")) return;
  for (const folder of folders) {
    const risk = await repositoryRisk(folder, disk);
    if (risk !== null)
      reasons.add("repository", `git would use ${risk}`, { kind: "program", program: "git" });
  }
}

/**
 * A project folder in PATH may contain a program with the name of a known program, or of one that a known program runs.
 */
async function addShadowedPrograms(
  facts: LineFacts,
  places: readonly string[],
  { roots, programFolders, disk }: JudgedContext,
  reasons: Reasons,
): Promise<void> {
  // Relative entries depend on the current folder.
  const named = programFolders.flatMap((entry) =>
    isAbsolute(entry) ? [entry] : places.map((place) => resolve(place, entry)),
  );
  const folders = await Promise.all(named.map((folder) => disk.realPath(folder)));
  const own = folders.filter((folder) => roots.some((root) => isWithin(root, folder)));
  const commands = facts.commands.filter(({ role }) => role !== "guess");
  const names = new Set(commands.flatMap(({ program }) => program ?? []));
  for (const program of own.length === 0 ? [] : names) {
    for (const name of new Set([program, ...helpersOf(program)])) {
      for (const folder of own) {
        const file = join(folder, name);
        const found = await disk.stat(file);
        const about = { kind: "program", program } as const;
        if (found !== null && !found.isDirectory())
          reasons.add("project", `${name} would run ${file} of the project`, about);
      }
    }
  }
}
