import type { FileUse } from "./permitted-use.ts";

/** What a confined program may do. Paths are absolute. Paths that do not exist are ignored. */
export interface SandboxPolicy {
  /**
   * Readable and writable, except credentials and protected places in them: the project, and folders that a person
   * added.
   */
  readonly write: readonly string[];
  /** Readable and writable: caches of tools, which contain credentials only at known places. Null: the usual caches. */
  readonly caches: readonly string[] | null;
  /** Readable although they are below the home folder, in addition to settings and programs of tools. */
  readonly read: readonly string[];
  /** Credentials and protected places in `write` that a person opened. */
  readonly opened?: readonly string[];
  /** Credentials that a person opened only for reading. */
  readonly openedToRead?: readonly string[];
  /** Environment variables to remove. */
  readonly unset?: readonly string[];
  /** Folders that are empty inside, like home folders. */
  readonly hide?: readonly string[];
  readonly network: SandboxNetwork;
}

/**
 * The network access of a program: none, all, or a list of hosts. A host is "example.com" or "*.example.com"
 * (subdomains only), either with ":port"; without it, any port. The program uses HTTP, or a protocol that can be
 * tunnelled through an HTTP proxy. Names that resolve to addresses of this machine or of private networks are refused,
 * unless the host is "localhost", an address, or has a port.
 */
export type SandboxNetwork = "off" | "on" | readonly string[];

/** A program with its arguments and its working folder. */
export interface ProgramCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Files among `args` that belong to the program, such as its script. The program may read their folders. */
  readonly scripts?: readonly string[];
  /**
   * Background processes continue until they are ended. Otherwise all processes end with the program, and with the
   * process that started it.
   */
  readonly leavesBackground?: boolean;
  /**
   * A descriptor of the caller, to which bubblewrap writes the process id of the sandbox as JSON (`child-pid`). The
   * program then has its own session, so that signals to that group do not end bubblewrap itself.
   */
  readonly statusDescriptor?: number;
}

/** A call that runs a program confined, with its resources outside the sandbox. */
export interface ConfinedCall extends ProgramCall {
  /** Whether the sandbox lets the program use a file, by its real path. Decided when the call was made. */
  readonly permits: (use: FileUse, path: string) => boolean;
  /**
   * Environment variables to remove when the caller starts it: the program could read them from bubblewrap's process.
   */
  readonly withheld: readonly string[];
  /**
   * Hosts ("example.com:443") that were refused to the program, oldest first, without duplicates, bounded. Empty unless
   * the network is a list of hosts.
   */
  deniedHosts(): readonly string[];
  /** Call it when the program and its background processes have ended. Idempotent. */
  close(): Promise<void>;
}

/** The folders that the sandbox uses. */
export interface SandboxFolders {
  readonly home: string;
  /** Contains an unreadable file, an unreadable folder, and sockets of proxies. They are created if missing. */
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

/** Programs that tools downloaded, and environments that they created. They also run outside the sandbox. */
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
 * Folders below the home folder that build tools and package managers read and write, unless the config names others.
 * They contain only packages and results: a program or a setting beside them would later run outside the sandbox.
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

/** Settings, programs and toolchains. Many programs read them, and a confined program never writes them. */
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
