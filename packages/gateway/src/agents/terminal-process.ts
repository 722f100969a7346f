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

/** As a person would type it. */
export function shownCall({ command, args, env }: TerminalCall): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)}`);
  return [...variables, shellLine([command, ...args])].join(" ");
}

export interface TerminalExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** The program, which leads a session and a group of its own. */
export interface TerminalProcess {
  readonly pid: number;
  readonly exited: Promise<TerminalExit>;
  /** Returns how many bytes were taken: 0 when there is no room, all when nobody is there to read them. */
  write(bytes: Buffer): number;
  resize(columns: number, rows: number): void;
  pause(): void;
  resume(): void;
}

/** It has a native part, so it is in no bundle; without it everything else works. */
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

/** Before anybody has said how large theirs is. */
const size = { cols: 80, rows: 24 };

/** What would mislead a program about the terminal that it is in. */
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

/** A program that is not there is an end of its own; this is a system that has no terminal or process left. */
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

/** Our end of the terminal, which the package does not show in its types. */
interface Line {
  readonly fd: number;
  readonly socket: Socket;
}

function lineOf(pty: NodePty.IPty): Line | null {
  const { fd, _socket: socket } = pty as unknown as { fd?: number; _socket?: Socket };
  if (typeof fd !== "number" || socket === undefined) return null;
  // A line that breaks is the end of the terminal; the package throws what nobody else listens for.
  socket.on("error", () => {});
  return { fd, socket };
}

/**
 * Not by the package's own `write`: that waits inside the system call, and with it the whole gateway, for as
 * long as a program does not read. Only while the socket is open: afterwards the number may be another file's.
 */
function writeTo({ fd, socket }: Line, bytes: Buffer): number {
  if (socket.destroyed) return bytes.length;
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EAGAIN" ? 0 : bytes.length;
  }
}

/** Windows has no such end; there it does not wait. */
function writeBlindly(pty: NodePty.IPty, bytes: Buffer): number {
  pty.write(bytes.toString());
  return bytes.length;
}

function exitOf(exitCode: number, signal: number | undefined): TerminalExit {
  if (signal === undefined || signal === 0) return { code: exitCode, signal: null };
  return { code: null, signal: signalName(signal) ?? String(signal) };
}
