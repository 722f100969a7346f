import { writeSync } from "node:fs";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import type * as NodePty from "@lydell/node-pty";
import { LandlineError } from "@landline/protocol";
import { shellLine, shellWord } from "@landline/system/shell-words";
import { signalName } from "@landline/system/signals";
import type { SupervisedCall } from "@landline/system/supervisor";

export type Terminals = Pick<typeof NodePty, "spawn">;

/** A program to run in a terminal; `env` is added to what agents get. */
export interface TerminalCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The command line as a person would type it. */
export function shownCall({ command, args, env }: TerminalCall): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)}`);
  return [...variables, shellLine([command, ...args])].join(" ");
}

export interface TerminalExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** The program, which leads its own session and process group. */
export interface TerminalProcess {
  readonly pid: number;
  readonly exited: Promise<TerminalExit>;
  /** Returns the number of bytes written: 0 if the terminal is full, all if it is closed. */
  write(bytes: Buffer): number;
  resize(columns: number, rows: number): void;
  pause(): void;
  resume(): void;
}

/** The package has a native part, so it is not bundled. Only terminals need it. */
export function loadTerminals(): Terminals {
  const load = createRequire(import.meta.url);
  return load("@lydell/node-pty") as Terminals;
}

interface TerminalStart {
  /** As a person would run it. */
  readonly call: TerminalCall;
  /** As it is run: confined or supervised. */
  readonly program: SupervisedCall;
  readonly cwd: string;
  readonly heard: (text: string) => void;
}

/** The size until a client reports its own. */
const size = { cols: 80, rows: 24 };

/** Variables that describe another terminal. */
const ofAnotherTerminal: ReadonlySet<string> = new Set([
  "TMUX",
  "TMUX_PANE",
  "STY",
  "WINDOW",
  "WINDOWID",
  "TERMCAP",
  "COLUMNS",
  "LINES",
]);

export function startTerminal(load: () => Terminals, start: TerminalStart): TerminalProcess {
  const { call, program, cwd, heard } = start;
  const env = Object.fromEntries(
    Object.entries(program.env).filter(([name]) => !ofAnotherTerminal.has(name)),
  );
  const terminals = loaded(load, call);
  const pty = spawned(call, () =>
    terminals.spawn(program.file, [...program.args], {
      ...size,
      name: "xterm-256color",
      cwd,
      env,
    }),
  );
  const { promise: exited, resolve } = Promise.withResolvers<TerminalExit>();
  pty.onExit(({ exitCode, signal }) => resolve(exitOf(exitCode, signal)));
  pty.onData(heard);
  const line = lineOf(pty);
  return {
    pid: pty.pid,
    exited,
    write: (bytes) => (line ? writeTo(line, bytes) : writeBlindly(pty, bytes)),
    resize: (columns, rows) => {
      if (line?.socket.destroyed !== true) pty.resize(columns, rows);
    },
    pause: () => pty.pause(),
    resume: () => pty.resume(),
  };
}

function loaded(load: () => Terminals, call: TerminalCall): Terminals {
  try {
    return load();
  } catch (error) {
    throw new LandlineError("tool-disabled", {
      message: "No terminal can be opened here: the package @lydell/node-pty could not be loaded.",
      help: `Run this in a terminal on the gateway's machine: \`${shownCall(call)}\`.`,
      cause: error,
    });
  }
}

/** A missing program exits by itself. This error means that the system has no terminals or processes left. */
function spawned(call: TerminalCall, spawn: () => NodePty.IPty): NodePty.IPty {
  try {
    return spawn();
  } catch (error) {
    throw new LandlineError("agent-start-failed", {
      message: `No terminal could be opened: the system refused (${(error as Error).message}).`,
      help: `Try again, or run this in a terminal on the gateway's machine: \`${shownCall(call)}\`.`,
      cause: error,
    });
  }
}

/** The master side of the terminal, which is missing in the package's types. */
interface Line {
  readonly fd: number;
  readonly socket: Socket;
}

function lineOf(pty: NodePty.IPty): Line | null {
  const { fd, _socket: socket } = pty as unknown as { fd?: number; _socket?: Socket };
  if (typeof fd !== "number" || socket === undefined) return null;
  // A broken socket ends the terminal. Without a listener, the package throws.
  socket.on("error", () => {});
  return { fd, socket };
}

/**
 * The package's `write` blocks the whole gateway while the program does not read. Writes only while the socket is
 * open: afterwards the descriptor may belong to another file.
 */
function writeTo({ fd, socket }: Line, bytes: Buffer): number {
  if (socket.destroyed) return bytes.length;
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EAGAIN" ? 0 : bytes.length;
  }
}

/** On Windows there is no descriptor, and `write` does not block. */
function writeBlindly(pty: NodePty.IPty, bytes: Buffer): number {
  pty.write(bytes.toString());
  return bytes.length;
}

function exitOf(exitCode: number, signal: number | undefined): TerminalExit {
  if (signal === undefined || signal === 0) return { code: exitCode, signal: null };
  return { code: null, signal: signalName(signal) ?? String(signal) };
}
