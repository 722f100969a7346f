import type {
  ConfinedCall,
  ProgramCall,
  Sandbox,
  SandboxNetwork,
  StoppedProgram,
} from "@landline/sandbox";

/**
 * The files and programs of a session: the client's where it offers them (unsaved buffers, terminals), this
 * machine's otherwise, and never both for one operation.
 */
export interface Workspace {
  readonly cwd: string;
  /** `cwd` first, then the session's other directories; absolute. */
  readonly roots: readonly string[];
  /** Returns an absolute path with `..`, `~` and `file:` resolved, relative to `cwd`. Throws FileProblem. */
  resolve(path: string): string;
  /** Resolves links once. Everything that is done after a check must use this result and not the name. */
  locate(path: string): Promise<LocatedPath>;
  /** The name for users and rules: relative to `cwd` when inside, absolute otherwise, with `/`. */
  display(path: string): string;

  /** The text without its byte-order mark, which `bom` reports. Throws FileProblem. */
  readText(file: LocatedPath, signal?: AbortSignal): Promise<TextFile>;
  /** Reads from disk: images, documents and other bytes. Throws FileProblem. */
  readBytes(file: LocatedPath, maxBytes: number): Promise<Buffer>;
  /** Creates parent folders and keeps the mode; atomic on disk. `bom` adds a byte-order mark. */
  writeText(file: LocatedPath, text: string, options?: { bom?: boolean }): Promise<void>;
  /** Removes a link, not the file that it leads to. */
  remove(file: LocatedPath): Promise<void>;
  /** Null when the path does not exist. */
  stat(
    path: string,
  ): Promise<{ type: "file" | "directory" | "other"; size: number; modifiedAt: number } | null>;
  list(
    folder: LocatedPath,
  ): Promise<{ name: string; type: "file" | "directory" | "symlink" | "other" }[]>;

  /** Files whose path below `folder` matches the glob, newest first. Throws SearchProblem. */
  findFiles(options: FindOptions): Promise<FoundFiles>;
  /** Lines that match, including unsaved text of the client. Throws SearchProblem. */
  searchText(options: SearchOptions): Promise<FoundLines>;

  readonly sandbox: WorkspaceSandbox;
  /** Starts a shell line. Throws CommandProblem when it can't be started. */
  start(options: CommandOptions): Promise<RunningCommand>;
}

/**
 * A file or folder at the time when it was checked. Operations fail with `path-changed` if the path leads elsewhere by
 * then: a program may have replaced a folder by a link.
 */
export interface LocatedPath {
  /** Absolute; for people and for the client. */
  path: string;
  /** With links resolved. */
  real: string;
  /** With links resolved in its folder only: the link itself, if it is one. */
  entry: string;
  /** Whether `real` is outside the session's folders. */
  isOutside: boolean;
}

/** Excludes files that git ignores and `.git`; includes hidden files. */
export interface FindOptions {
  /** `*.ts` matches at any depth, `src/*.ts` only there; supports `**`, `?`, `[a-z]` and `{a,b}`. */
  pattern: string;
  /** Default: `cwd`. */
  folder?: LocatedPath;
  limit?: number;
  signal?: AbortSignal;
}

export interface FoundFiles {
  /** Absolute. */
  paths: string[];
  /** True when there are more than the limit. */
  truncated: boolean;
}

export interface SearchOptions {
  /** A regular expression, in ripgrep's syntax. */
  pattern: string;
  /** A folder or file; default: `cwd`. */
  place?: LocatedPath;
  /** Only files that match this glob. */
  include?: string;
  /** Filters files by absolute path. The result reveals nothing about the others. */
  accepts?: (path: string) => boolean;
  limit?: number;
  signal?: AbortSignal;
}

export interface FoundLines {
  /** Sorted by path, then by line. */
  matches: { path: string; line: number; text: string }[];
  truncated: boolean;
}

export interface TextFile {
  text: string;
  bom: boolean;
  /** The source: an editor's buffer may differ from the disk. */
  via: "client" | "disk";
}

/** The sandbox of a session's commands. */
export interface WorkspaceSandbox {
  /** Why commands cannot be confined; null when they can. The first call searches for a sandbox. */
  problem(): Promise<string | null>;
  /** The result of `problem`; undefined before the first search. */
  known(): string | null | undefined;
  /** The problem, if the user should be notified and has not been; null otherwise. */
  unreportedProblem(): Promise<string | null>;
  /** The network access of every confined command. */
  network(): SandboxNetwork;
  /** All access of a command with this confinement; null when commands are not confined. */
  bounds(roots: readonly string[], confinement: Confinement): CommandBounds | null;
}

/** `closed`: paths that can never be opened. */
export type CommandBounds = Pick<StoppedProgram, "policy" | "home" | "closed">;

/** How a command was confined. */
export interface RanConfined {
  sandbox: Sandbox["name"];
  network: SandboxNetwork;
}

/** Access of a confined command besides the project. */
export interface Confinement {
  network: SandboxNetwork;
  /** Nobody approved this command, so it gets no secrets of the environment. */
  isUnasked: boolean;
  /** Folders that it may change. */
  write: readonly string[];
  read: readonly string[];
  /** Credentials and protected places of the project that a person opened. */
  opened: readonly string[];
  /** Credentials that a person opened for reading alone. */
  openedToRead?: readonly string[];
}

export interface CommandOptions {
  /** One line for the shell. */
  line: string;
  cwd: string;
  env?: Record<string, string>;
  /** The access of a confined command. Without it, the command is not confined. */
  confinement?: Confinement;
  signal: AbortSignal;
  /** Called with new output, local or polled from the client. */
  onOutput?(text: string): void;
}

export interface StartedCommand extends CommandOptions {
  call: StartedCall;
  ranConfined: RanConfined | null;
}

/** The optional fields belong to a confined call; its owner closes it. */
export type StartedCall = Pick<ProgramCall, "file" | "args"> &
  Partial<Pick<ConfinedCall, "deniedHosts" | "permits" | "close" | "withheld">>;

export interface RunningCommand {
  readonly terminalId: string | undefined;
  /** Null: it is not confined. */
  readonly confinement: RanConfined | null;
  /** Hosts that its sandbox denied, as far as known. */
  deniedHosts(): readonly string[];
  /** Whether its sandbox lets it use a file, by its real path. */
  readonly permits: ConfinedCall["permits"];
  /**
   * Resolves when it has ended and its output was read. `output` is its end, bounded. Throws CommandProblem
   * when the client loses its terminal.
   */
  readonly ended: Promise<{
    output: string;
    truncated: boolean;
    exitCode: number | null;
    signal: string | null;
  }>;
  /** Ends it and its child processes. */
  kill(): Promise<void>;
  /** Releases the client's terminal; the client keeps showing its output. */
  release(): Promise<void>;
}

export type FileProblemReason =
  | "file-not-found"
  | "permission-denied"
  | "file-too-large"
  | "binary-file"
  | "is-a-directory"
  | "invalid-input"
  | "path-changed"
  | "failed";

export class FileProblem extends Error {
  override readonly name = "FileProblem";
  readonly reason: FileProblemReason;
  readonly path: string;
  constructor(reason: FileProblemReason, path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
    this.path = path;
  }
}

/** An invalid search. The message says what to change. */
export class SearchProblem extends Error {
  override readonly name = "SearchProblem";
}

/** A command that could not be started or was lost. The message says which. */
export class CommandProblem extends Error {
  override readonly name = "CommandProblem";
}
