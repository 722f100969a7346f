import type { Word } from "./parse/word.ts";

/**
 * What a command does besides computing. `execute`: runs a program or code that its words name or that nobody can
 * name. `project`: runs what the project itself defines (scripts, build files, tests). `environment`: shows variables,
 * which may hold secrets. `system`: changes processes, users, packages or services of the machine.
 */
export type Effect =
  | "read"
  | "write"
  | "delete"
  | "execute"
  | "project"
  | "network"
  | "system"
  | "environment";

/**
 * What a command does to a path. `name`: looks at names and metadata, never at contents. `search`: reads the contents of
 * everything below it. `enter`: works from there. `load`: reads settings or code that change what the command does. `may`: a
 * word of a command that is not known or runs other code, which may read or change the file that it names.
 */
export type Use = "name" | "read" | "search" | "write" | "delete" | "enter" | "load" | "may";

export interface PathUse {
  readonly word: Word;
  readonly use: Use;
  /** Which files below it a `search` reads. */
  readonly search?: SearchScope;
}

export interface SearchScope {
  /** Files and folders whose name begins with a dot. */
  readonly hidden: boolean;
  /** Files that `.gitignore` and its like leave out. */
  readonly ignored: boolean;
  /** Links below it are followed. */
  readonly links: boolean;
  /** Names of files and folders that are left out, as globs without slashes. */
  readonly excludes: readonly string[];
  /** The same for files alone. */
  readonly excludedFiles?: readonly string[];
  /** The same for folders alone; `./name` is only the folder right below the path. */
  readonly excludedFolders?: readonly string[];
  /** Only names that match one of these are read, as globs without slashes; empty: all. */
  readonly includes: readonly string[];
  /** What `includes` names is read although it is hidden or ignored. */
  readonly includesWin?: boolean;
  /** Names and metadata are looked at, and no contents. */
  readonly namesOnly?: boolean;
  /** git reads it: only tracked files that the path, which may be a pattern, stands for; `all`: all of the repository. */
  readonly tracked?: "below" | "all";
}

/**
 * `run`: the line runs it. `wrapper`: it only changes how another command runs, which is listed too (`timeout 5 ls`). `guess`:
 * the line may run it. Rules that deny or ask look at all of them, and rules that allow at `run` alone.
 */
export type Role = "run" | "wrapper" | "guess";

/** One simple command, as rules and people see it. */
export interface CommandFacts {
  /** Assignments and words, quoted where needed, one space between them. */
  readonly text: string;
  readonly assignments: readonly string[];
  readonly words: readonly string[];
  /** So many of its first words are known before it runs. */
  readonly fixedWords: number;
  /** Its words and other ways to write them, by which rules that deny or ask find it. */
  readonly spellings: readonly (readonly string[])[];
  /** The known program's name; null when it is not known. */
  readonly program: string | null;
  /** The words that say what it does: `git log`, `npm run build`. */
  readonly action: readonly string[];
  readonly effects: ReadonlySet<Effect>;
  readonly paths: readonly PathUse[];
  /** Hosts that it names, as in a URL: `example.com`, `localhost:8080`. */
  readonly hosts: readonly string[];
  /** Why it may do more than is told here; null when everything is known. */
  readonly unknown: string | null;
  /** An option that makes a known form do something else (another folder, other settings); null when there is none. */
  readonly deviation: string | null;
  /** True when a rule for its form may let other arguments through. */
  readonly isWidenable: boolean;
  readonly role: Role;
}

/** Everything that a line would do, before anything on the disk is looked at. */
export interface LineFacts {
  readonly commands: readonly CommandFacts[];
  /** Targets of redirections. */
  readonly redirects: readonly PathUse[];
  /** It begins with `cd FOLDER &&` or `cd FOLDER;`, and changes the folder again only where that can be followed. */
  readonly startsWithChange: boolean;
  /** Why something else may run than is told here; null when nothing else can. */
  readonly unreadable: string | null;
}
