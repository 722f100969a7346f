import { LandlineError } from "@landline/protocol";
import type { DutyContext } from "../duty.ts";
import { withTimeLimit } from "../time-limit.ts";

/**
 * The way to an attached editor, whose unsaved buffers count before the disk. It is tried twice. A read that
 * can't be had there comes from the disk; a write whose fate is not known is never made a second time on
 * the disk.
 */
export interface FileRoute {
  /** Null when no editor takes it: certainly nothing was done. */
  read(request: RoutedRead, signal: AbortSignal): Promise<string | null>;
  /** False when no editor takes it: certainly nothing was done. */
  write(request: RoutedWrite, signal: AbortSignal): Promise<boolean>;
}

export interface RoutedRead {
  readonly path: string;
  readonly line?: number;
  readonly limit?: number;
}

export interface RoutedWrite {
  readonly path: string;
  readonly content: string;
}

export async function readByRoute(
  { limits }: DutyContext,
  route: FileRoute,
  request: RoutedRead,
): Promise<string | null> {
  const attempt = () =>
    withTimeLimit(limits.fileReadMs, editorAnswer, (signal) => route.read(request, signal));
  try {
    return await attempt().catch(unlessAnswered(attempt));
  } catch (error) {
    if (error instanceof LandlineError && error.code !== "connection-lost") throw error;
    return null;
  }
}

export async function writeByRoute(
  { limits }: DutyContext,
  route: FileRoute,
  request: RoutedWrite,
): Promise<boolean> {
  const attempt = () =>
    withTimeLimit(limits.fileWriteMs, editorAnswer, (signal) => route.write(request, signal));
  const again = async () => {
    // Nobody took the second one, but somebody may have taken the first.
    if (!(await attempt())) throw new LandlineError("connection-lost");
    return true;
  };
  try {
    return await attempt().catch(unlessAnswered(again));
  } catch (error) {
    if (error instanceof LandlineError && error.code !== "connection-lost") throw error;
    throw new LandlineError("connection-lost", {
      message: "The editor was lost under the write: whether it has the text is not known.",
      help: "Read the file, and write it again if need be.",
      cause: error,
    });
  }
}

const editorAnswer = "The editor's answer";

/** An editor that was reached and said no is not asked again, and nor is the disk: that would go against it. */
function unlessAnswered<Result>(again: () => Promise<Result>): (error: unknown) => Promise<Result> {
  return (error) => {
    const { code } = error instanceof LandlineError ? error : { code: "connection-lost" };
    if (code !== "connection-lost" && code !== "timeout") throw error;
    return again();
  };
}
