import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { ProcessGroup } from "@landline/system/process-group";
import { isRunning } from "@landline/system/process-table";
import { type ProgramExit, startProgram } from "@landline/system/start-program";
import { sendSignal, signalName } from "@landline/system/signals";
import { finishedWithin } from "@landline/system/finished-within";
import type { ProgramCall } from "./command.ts";
import type { TerminalProgram, TerminalExit } from "./terminal-program.ts";

/**
 * The shell script that runs a command in the sandbox. bubblewrap reports a signal as an exit code, and ends everything with
 * its first process. This script reports both on its stderr, where a shell names the signal that ended a program. While
 * background processes of the command run, it waits until its stdin is closed; a line there makes it count again, because
 * ended processes may still be listed. Processes that ran before the command belong to the sandbox. The process that becomes the
 * command reports its start, because it receives signals from then on.
 */
const reportScript = `landline_count() { set -- /proc/[0-9]*; landline_processes=$#; }
landline_count
landline_before=$landline_processes
trap : TERM HUP INT
(echo landline-begin >&2; exec 2>&1 </dev/null; exec "$@")
echo "landline-exit $?" >&2
while landline_count; [ "$landline_processes" -gt "$landline_before" ]; do read -r _ || break; done`;

/** Where bubblewrap reports the process id of the sandbox. */
export const statusDescriptor = 3;

/** A call to be confined by bubblewrap, with `statusDescriptor`. */
export function callWithExitReport(words: readonly string[]): ProgramCall {
  return { file: "/bin/sh", args: ["-c", reportScript, "landline", ...words] };
}

type SandboxChild = ChildProcess & {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
};

/** `failure`: what to throw for an error of the system. */
export async function startSandboxedProgram(
  call: ProgramCall,
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  failure: (error: unknown) => Error,
): Promise<TerminalProgram> {
  const { cwd, env } = place;
  const { child, group, started, exited } = startProgram({
    call: { ...call, env },
    cwd,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    leftovers: "stay",
  });
  if (group === null) throw failure(await started.catch((error: unknown) => error));
  return new SandboxedProgram(child as SandboxChild, group, exited);
}

/** Characters that are kept of what the shell and bubblewrap write. */
const reportMax = 16_384;
const pollMs = 20;
const closeMs = 1_000;

class SandboxedProgram implements TerminalProgram {
  readonly stdout: Readable;
  readonly exited: TerminalProgram["exited"];
  readonly #child: SandboxChild;
  readonly #group: ProcessGroup;
  /** The first process of the sandbox, which leads the group of the command. */
  #inner: number | null = null;
  #report = "";
  #status = "";

  constructor(child: SandboxChild, group: ProcessGroup, exited: Promise<ProgramExit>) {
    this.#child = child;
    this.#group = group;
    this.stdout = child.stdout;
    // A broken pipe has ended.
    child.stdin.on("error", () => undefined);
    const told = new Promise<void>((resolve) => {
      child.stderr.on("data", (chunk: Buffer) => {
        this.#report = (this.#report + chunk.toString("latin1")).slice(0, reportMax);
        if (reportedExit(this.#report) !== null) resolve();
      });
    });
    child.stderr.on("error", () => undefined);
    const status = child.stdio[statusDescriptor] as Readable;
    status.on("error", () => undefined);
    status.on("data", (chunk: Buffer) => {
      if (this.#inner !== null) return;
      this.#status = (this.#status + chunk.toString("latin1")).slice(0, reportMax);
      const found = /"child-pid": (\d+)[^\d]/.exec(this.#status)?.[1];
      if (found !== undefined) this.#inner = Number(found);
    });
    this.exited = this.#exit(told, exited);
  }

  /**
   * bubblewrap leaves the sandbox behind if it is killed during set-up. So SIGTERM waits until the command has started, and
   * SIGKILL until the process id of the sandbox is known.
   */
  async end(graceMs: number): Promise<void> {
    const until = performance.now() + graceMs;
    // The kernel ends everything in the sandbox before its first process can be reaped.
    const isGone = () => this.#hasEnded && (this.#inner === null || !isRunning(this.#inner));
    await this.#poll(() => this.#hasEnded || (this.#hasBegun && this.#inner !== null), until);
    if (this.#hasBegun && this.#inner !== null) this.#signal(-this.#inner, "SIGTERM");
    await this.#poll(() => isGone() || this.#lookAgain(), until);
    await this.#poll(() => this.#hasEnded || this.#inner !== null, performance.now() + closeMs);
    if (this.#inner !== null) this.#signal(this.#inner, "SIGKILL");
    this.#group.kill();
    await this.#poll(isGone, performance.now() + Math.max(graceMs, closeMs));
    this.#child.stdin.destroy();
  }

  async #exit(told: Promise<void>, exited: Promise<ProgramExit>): TerminalProgram["exited"] {
    const closed = new Promise<void>((resolve) => {
      this.#child.stderr.once("close", () => resolve());
    });
    // What holds the pipe open ends with the sandbox. The limit is for systems that do not end it.
    await Promise.race([told, exited.then(() => finishedWithin(closed, closeMs))]);
    const exit = reportedExit(this.#report);
    if (exit !== null) return exit;
    const { code, signal } = await exited;
    if (signal !== null || code === null) return { exitCode: code, signal };
    if (this.#hasBegun || (this.#report === "" && code > 128)) return exitOf(code, code > 128);
    const because = this.#report.trim().slice(0, 1_000) || `it ended with code ${code}`;
    return { exitCode: code || 1, signal: null, problem: `The sandbox did not start: ${because}` };
  }

  get #hasBegun(): boolean {
    return this.#report.includes("landline-begin\n");
  }

  /** While bubblewrap runs, the process ids are its own and that of its child. */
  #signal(target: number, name: "SIGTERM" | "SIGKILL"): void {
    if (!this.#hasEnded) sendSignal(target, name);
  }

  /** The shell in the sandbox ends when nothing else is left there. */
  #lookAgain(): false {
    if (this.#child.stdin.writable) this.#child.stdin.write("\n");
    return false;
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async #poll(isSo: () => boolean, until: number): Promise<void> {
    while (!isSo() && performance.now() < until) await delay(pollMs);
  }
}

/** The exit that the script in the sandbox reported; null if it did not. */
function reportedExit(report: string): TerminalExit | null {
  const [, between = "", code = ""] =
    /landline-begin\n([\s\S]*?)landline-exit (\d+)\n/.exec(report) ?? [];
  return code === "" ? null : exitOf(Number(code), Number(code) > 128 && between !== "");
}

function exitOf(code: number, isSignal: boolean): TerminalExit {
  const signal = isSignal ? signalName(code - 128) : null;
  return { exitCode: signal === null ? code : null, signal };
}
