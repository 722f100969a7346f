/** What a confined program may do. Paths are absolute; those that do not exist are left out. */
export interface SandboxPolicy {
  /** May be read and changed, but for credentials and protected places in them: the project, and what a person added. */
  readonly write: readonly string[];
  /** May be read and changed: caches of tools, which hold credentials at known places only. Null: the usual ones. */
  readonly caches: readonly string[] | null;
  /** May be read although it is below the home folder, besides settings and programs of tools. */
  readonly read: readonly string[];
  /** Credentials and protected places in `write` that a person opened. */
  readonly opened?: readonly string[];
  /** Credentials that a person opened for reading alone. */
  readonly openedToRead?: readonly string[];
  /** Variables of the environment that it does not get. */
  readonly unset?: readonly string[];
  /** Folders that are empty inside, as home folders are. */
  readonly hide?: readonly string[];
  readonly network: SandboxNetwork;
}

/**
 * What of the network a program may use: nothing, everything, or these hosts. A host is "example.com" or
 * "*.example.com" (its subdomains only), either with ":port"; any port without. By HTTP and by what can be tunnelled through an
 * HTTP proxy. Names that lead to addresses of this machine or of private networks are refused, unless the host is
 * "localhost", an address, or named with its port.
 */
export type SandboxNetwork = "off" | "on" | readonly string[];

/** A program with its arguments, and the folder that it starts in. */
export interface ProgramCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Files among `args` that belong to the program, such as its script. It may read the folders that they are in. */
  readonly scripts?: readonly string[];
  /**
   * What it leaves in the background goes on until it is ended. Otherwise everything ends with the program, and with the
   * process that started it.
   */
  readonly leavesBackground?: boolean;
  /**
   * A descriptor of the caller's, to which bubblewrap writes the process id of the sandbox as JSON (`child-pid`). The
   * program is then in a session of its own, so that signals to that group do not end bubblewrap itself.
   */
  readonly statusDescriptor?: number;
}

/** A call that runs a program confined, and what belongs to it outside of the sandbox. */
export interface ConfinedCall extends ProgramCall {
  /** Variables that the caller leaves out when it starts this: the program could read them from bubblewrap's process. */
  readonly withheld: readonly string[];
  /**
   * Hosts ("example.com:443") that the program tried to reach and was refused, oldest first, each once, bounded. Empty
   * unless the network is a list of hosts.
   */
  deniedHosts(): readonly string[];
  /** To be called when the program and all that it left in the background have ended. Idempotent. */
  close(): Promise<void>;
}

/** Where the sandbox keeps its own files. */
export interface SandboxFolders {
  readonly home: string;
  /** Holds a file and a folder that nobody may read, and sockets of proxies; they are made when they are missing. */
  readonly data: string;
}

const cacheNames: readonly string[] = [
  "bazel",
  "ccache",
  "composer",
  "deno",
  "go-build",
  "golangci-lint",
  "huggingface",
  "node-gyp",
  "pip",
  "pnpm",
  "pypoetry/artifacts",
  "pypoetry/cache",
  "sccache",
  "torch",
  "typescript",
  "uv",
  "yarn",
  "zig",
];

/** Programs that tools downloaded, and environments that they made: they are run outside of the sandbox too. */
const programCaches: readonly string[] = [
  "bazelisk",
  "coursier",
  "Cypress",
  "electron",
  "gopls",
  "ms-playwright",
  "node",
  "pre-commit",
  "prisma",
  "puppeteer",
  "pypoetry",
  "rust-analyzer",
  "selenium",
];

function inCacheFolders(names: readonly string[]): string[] {
  const folder = process.platform === "darwin" ? "Library/Caches" : ".cache";
  return names.map((name) => `${folder}/${name}`);
}

/**
 * Folders below the home folder that build tools and package managers read and write, unless the config says otherwise.
 * Only those that hold packages and results: a program or a setting beside them is run outside of the sandbox later.
 */
export const toolCaches: readonly string[] = [
  ...inCacheFolders(cacheNames),
  ".npm/_cacache",
  ".npm/_logs",
  ".yarn/berry/cache",
  ".bun/install/cache",
  ".cargo/registry",
  ".cargo/git",
  ".cargo/.package-cache",
  ".gradle/caches",
  ".gradle/daemon",
  ".gradle/workers",
  ".m2/repository",
  ".ivy2/cache",
  ".ivy2/local",
  ".nuget/packages",
  ".bundle/cache",
  "go/pkg",
  ".local/share/pnpm/store",
  "Library/pnpm/store",
];

/** Settings, programs and toolchains: read by many programs, and never written by a confined one. */
export const homeSettings: readonly string[] = [
  ...inCacheFolders([...cacheNames, ...programCaches]),
  ".gitconfig",
  ".config/git",
  ".local/bin",
  ".local/lib",
  "go/bin",
  ".npm",
  ".yarn",
  ".bun",
  ".deno",
  ".cargo",
  ".rustup",
  ".gradle",
  ".m2",
  ".ivy2",
  ".nuget",
  ".dotnet",
  ".gem",
  ".bundle",
  ".pyenv",
  ".nvm",
  ".volta",
  ".sdkman",
  ".asdf",
  ".local/share/pnpm",
  ".local/share/mise",
  ".local/share/uv",
  "Library/pnpm",
];
