import { spawn } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import { ByteTail } from "@landline/system/byte-tail";
import { inheritedEnvironment } from "./command-environment.ts";

export interface ProgramOptions {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  /** Text, or an open file. */
  input?: string | Uint8Array | FileHandle;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Called with output chunks; `stop` ends the program successfully. */
  onOutput(chunk: Buffer): "stop" | void;
}

export interface ProgramResult {
  exitCode: number | null;
  /** The end of stderr. */
  errors: string;
}

export class ProgramTimeout extends Error {
  override readonly name = "ProgramTimeout";
}

const errorBytes = 16 * 1_024;

/**
 * Runs a helper program (ripgrep, git) to its end. Kills it on a timeout, an abort, or when `onOutput`
 * returns `stop`. Throws when it cannot start.
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
    stdio: [isText(options.input) ? "pipe" : options.input.fd, "pipe", "pipe"],
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
  // The program may end before it has read all input.
  child.stdin?.on("error", () => undefined);
  if (isText(options.input)) child.stdin?.end(options.input);
  child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
  child.stdout?.on("data", (chunk: Buffer) => {
    if (options.onOutput(chunk) !== "stop") return;
    child.kill("SIGKILL");
    child.stdout?.destroy();
  });
  try {
    return await over.promise;
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", abort);
  }
}

function isText(input: ProgramOptions["input"]): input is string | Uint8Array | undefined {
  return input === undefined || typeof input === "string" || input instanceof Uint8Array;
}
