import type {
  ConfinedCall,
  ProgramCall,
  Sandbox,
  SandboxNetwork,
  StoppedProgram,
} from "@landline/sandbox";

/**
 * The files and programs that a session works on: the client's where it offers them (an editor's
 * unsaved buffers, its terminals), this machine's otherwise, and never both for one thing.
 */
export interface Workspace {
  readonly cwd: string;
  /** `cwd` first, then the session's other directories; absolute. */
  readonly roots: readonly string[];
  /** Absolute, `..`, `~` and `file:` resolved; relative paths are relative to `cwd`. Throws FileProblem. */
  resolve(path: string): string;
  /** True when the path, its symlinks followed, lies in a root. */
  contains(path: string): Promise<boolean>;
  /** For people and rules: relative to `cwd` when inside, absolute otherwise; `/` as separator. */
  display(path: string): string;

  /** Throws FileProblem. Text as it is in the file, with its byte-order mark taken off and noted. */
  readText(path: string, signal?: AbortSignal): Promise<TextFile>;
  /** Throws FileProblem. From disk: for pictures, documents and other bytes. */
  readBytes(path: string, maxBytes: number): Promise<Buffer>;
  /** Parent folders are made; mode kept; atomic on disk. `bom` puts the mark back. */
  writeText(path: string, text: string, options?: { bom?: boolean }): Promise<void>;
  /** Removes a file (an undo of its making, a patch that deletes it). */
  remove(path: string): Promise<void>;
  /** Null when there is nothing. */
  stat(
    path: string,
  ): Promise<{ type: "file" | "directory" | "other"; size: number; modifiedAt: number } | null>;
  list(path: string): Promise<{ name: string; type: "file" | "directory" | "symlink" | "other" }[]>;

  /** Files whose path below `folder` matches the glob, newest first. Throws SearchProblem. */
  findFiles(options: FindOptions): Promise<FoundFiles>;
  /** Lines that match the regular expression, unsaved text of the client included. Throws SearchProblem. */
  searchText(options: SearchOptions): Promise<FoundLines>;

  readonly sandbox: WorkspaceSandbox;
  /** Starts a shell line. Throws CommandProblem when it can't be started. */
  start(options: CommandOptions): Promise<RunningCommand>;
}

/** What git ignores is left out, and `.git` itself; hidden files are in. */
export interface FindOptions {
  /** `*.ts` matches at any depth, `src/*.ts` only there; `**`, `?`, `[a-z]` and `{a,b}` are understood. */
  pattern: string;
  /** Absolute; `cwd` unless told. */
  folder?: string;
  limit?: number;
  signal?: AbortSignal;
}

export interface FoundFiles {
  /** Absolute. */
  paths: string[];
  /** There are more than the limit. */
  truncated: boolean;
}

export interface SearchOptions {
  /** A regular expression, in ripgrep's syntax. */
  pattern: string;
  /** A folder or one file, absolute; `cwd` unless told. */
  path?: string;
  /** Only files that match this glob. */
  include?: string;
  /** Whether a file, by its absolute path, may be searched. Nothing tells whether the others match. */
  accepts?: (path: string) => boolean;
  limit?: number;
  signal?: AbortSignal;
}

export interface FoundLines {
  /** By path, then by line. */
  matches: { path: string; line: number; text: string }[];
  truncated: boolean;
}

export interface TextFile {
  text: string;
  bom: boolean;
  /** Where it came from: an editor's buffer may differ from the disk. */
  via: "client" | "disk";
}

/** The sandbox of a session's commands. */
export interface WorkspaceSandbox {
  /** Why commands cannot be confined; null when they can. The first call looks for a sandbox. */
  problem(): Promise<string | null>;
  /** The same; undefined while nobody has looked. */
  known(): string | null | undefined;
  /** The same where the person has not been told of it yet and should be; null otherwise. */
  takeNews(): Promise<string | null>;
  /** What every confined command may use of the network. */
  network(): SandboxNetwork;
  /** Everything that a command with this confinement may do; null where commands are not confined. */
  bounds(roots: readonly string[], confinement: Confinement): CommandBounds | null;
}

/** `closed`: what nothing opens for a command. */
export type CommandBounds = Pick<StoppedProgram, "policy" | "home" | "closed">;

/** How a command was confined. */
export interface RanConfined {
  sandbox: Sandbox["name"];
  network: SandboxNetwork;
}

/** What a confined command may use besides the project. */
export interface Confinement {
  network: SandboxNetwork;
  /** No person and no rule allowed this command: secrets of the environment are kept from it. */
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
  /** It runs in a sandbox, and may use this besides the project. Without, it is not confined. */
  confinement?: Confinement;
  signal: AbortSignal;
  /** Called with what has been written since the last call, local or polled from the client. */
  onOutput?(text: string): void;
}

/** A command with the program that runs its line. */
export interface StartedCommand extends CommandOptions {
  call: StartedCall;
  ranConfined: RanConfined | null;
}

/** What a confined one has besides belongs to its owner, who closes it. */
export type StartedCall = Pick<ProgramCall, "file" | "args"> &
  Partial<Pick<ConfinedCall, "deniedHosts" | "close" | "withheld">>;

export interface RunningCommand {
  /** The client's terminal, when it runs in one. */
  readonly terminalId: string | undefined;
  /** Null: it is not confined. */
  readonly confinement: RanConfined | null;
  /** Hosts that its sandbox kept it from, as far as the sandbox knows them. */
  deniedHosts(): readonly string[];
  /**
   * Resolves when it has ended and its output is drained. `output` is the end of it, bounded. Throws
   * CommandProblem when the client loses its terminal.
   */
  readonly ended: Promise<{
    output: string;
    truncated: boolean;
    exitCode: number | null;
    signal: string | null;
  }>;
  /** Ends it and all that it started. */
  kill(): Promise<void>;
  /** Lets go of the client's terminal; the client keeps what it shows. */
  release(): Promise<void>;
}

export type FileProblemReason =
  | "file-not-found"
  | "permission-denied"
  | "file-too-large"
  | "binary-file"
  | "is-a-directory"
  | "invalid-input"
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

/** A search that could not be made; the message says what to change. */
export class SearchProblem extends Error {
  override readonly name = "SearchProblem";
}

/** A command that could not be started, or was lost on the way; the message says which. */
export class CommandProblem extends Error {
  override readonly name = "CommandProblem";
}
