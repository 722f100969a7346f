import type { Word } from "./parse/word.ts";

/**
 * What a command does. `execute`: runs a program or code that its words name or that is unknown. `project`: runs code
 * that the project defines (scripts, build files, tests). `environment`: shows variables, which may hold secrets.
 * `system`: changes processes, users, packages or services of the machine.
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
 * What a command does to a path. `name`: reads names and metadata, never contents. `search`: reads the contents of
 * everything below it. `enter`: uses it as the working folder. `load`: reads settings or code that change what the
 * command does. `may`: a word of a command that is unknown or runs other code, which may read or change the file of
 * that name.
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
  /** Files that `.gitignore` and other ignore files exclude. */
  readonly ignored: boolean;
  /** Whether links below it are followed. */
  readonly links: boolean;
  /** Names of excluded files and folders, as globs without slashes. */
  readonly excludes: readonly string[];
  /** The same for files only. */
  readonly excludedFiles?: readonly string[];
  /** The same for folders only; `./name` is the folder directly below the path. */
  readonly excludedFolders?: readonly string[];
  /** Names of the files that are read, as globs without slashes; empty for all. */
  readonly includes: readonly string[];
  /** Whether names in `includes` are read even if they are hidden or ignored. */
  readonly includesWin?: boolean;
  /** Whether only names and metadata are read, and no contents. */
  readonly namesOnly?: boolean;
  /**
   * Set if git reads it: only tracked files that match the path, which may be a pattern (`below`), or all of the
   * repository (`all`).
   */
  readonly tracked?: "below" | "all";
}

/**
 * `run`: the line runs it. `wrapper`: it only changes how another command runs, which is listed too (`timeout 5 ls`).
 * `guess`: the line may run it. Rules that deny or ask apply to all of them, rules that allow only to `run`.
 */
export type Role = "run" | "wrapper" | "guess";

/** One simple command. */
export interface CommandFacts {
  /** Assignments and words, quoted where needed, one space between them. */
  readonly text: string;
  readonly assignments: readonly string[];
  readonly words: readonly string[];
  /** How many of its first words are known before it runs. */
  readonly fixedWords: number;
  /** Its words and equivalent ways to write them, for rules that deny or ask. */
  readonly spellings: readonly (readonly string[])[];
  /** The name of the program; null if the tables do not contain it. */
  readonly program: string | null;
  /** The words that say what it does: `git log`, `npm run build`. */
  readonly action: readonly string[];
  readonly effects: ReadonlySet<Effect>;
  readonly paths: readonly PathUse[];
  /** Hosts that it names, as in a URL: `example.com`, `localhost:8080`. */
  readonly hosts: readonly string[];
  /** Why it may do more than these facts say; null if they are complete. */
  readonly unknown: string | null;
  /**
   * An argument that makes it do something else than its action (another folder, other settings); null if there is
   * none.
   */
  readonly deviation: string | null;
  /** Whether a rule for its action may allow other arguments. */
  readonly isWidenable: boolean;
  readonly role: Role;
}

/** Everything that a line would do, by its text alone. */
export interface LineFacts {
  readonly commands: readonly CommandFacts[];
  /** Targets of redirections. */
  readonly redirects: readonly PathUse[];
  /** Whether it begins with `cd FOLDER &&` or `cd FOLDER;`, and later changes of the folder can be tracked. */
  readonly startsWithChange: boolean;
  /** Why it may run something that these facts do not contain; null if they are complete. */
  readonly unreadable: string | null;
}
