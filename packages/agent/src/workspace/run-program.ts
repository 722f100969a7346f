import { spawn } from "node:child_process";
import { ByteTail } from "@landline/system/byte-tail";
import { inheritedEnvironment } from "./command-environment.ts";

export interface ProgramOptions {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  input?: string | Uint8Array;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Gets the output as it comes; when it says `stop`, the program is ended and counts as done. */
  onOutput(chunk: Buffer): "stop" | void;
}

export interface ProgramResult {
  exitCode: number | null;
  /** The end of it. */
  errors: string;
}

/** It took too long, and was ended. */
export class ProgramTimeout extends Error {
  override readonly name = "ProgramTimeout";
}

const errorBytes = 16 * 1_024;

/**
 * Runs one of our helper programs (ripgrep, git) to its end. It is killed when it takes too long, when the
 * signal is aborted, and when its output is not wanted any more. Throws when it can't be started.
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  options.signal?.throwIfAborted();
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: inheritedEnvironment(options.env ?? process.env),
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  const over = Promise.withResolvers<ProgramResult>();
  const errors = new ByteTail(errorBytes);
  const end = (reason: Error) => {
    child.kill("SIGKILL");
    over.reject(reason);
  };
  const abort = () => end(options.signal?.reason as Error);
  const timer = setTimeout(
    () => end(new ProgramTimeout(`${file} took longer than ${options.timeoutMs} ms.`)),
    options.timeoutMs,
  );
  options.signal?.addEventListener("abort", abort, { once: true });
  child.once("error", (error) => over.reject(error));
  child.once("close", (exitCode) =>
    over.resolve({ exitCode, errors: errors.read({ ended: true }).text }),
  );
  // It may end without having read all of its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input);
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  child.stdout.on("data", (chunk: Buffer) => {
    if (options.onOutput(chunk) !== "stop") return;
    child.kill("SIGKILL");
    child.stdout.destroy();
  });
  try {
    return await over.promise;
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", abort);
  }
}
