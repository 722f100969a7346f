import { LandlineError } from "@landline/protocol";
import type { SessionContext } from "../session-context.ts";
import { withTimeLimit } from "../time-limit.ts";

/**
 * An attached editor, whose unsaved buffers take precedence over the disk. Each request is tried twice. A read that fails
 * there is done on the disk; a write with an unknown result is never repeated on the disk.
 */
export interface EditorFiles {
  /** Null if no editor took it, so that nothing was done. */
  read(request: EditorRead, signal: AbortSignal): Promise<string | null>;
  /** False if no editor took it, so that nothing was done. */
  write(request: EditorWrite, signal: AbortSignal): Promise<boolean>;
}

export interface EditorRead {
  readonly path: string;
  readonly line?: number;
  readonly limit?: number;
}

export interface EditorWrite {
  readonly path: string;
  readonly content: string;
}

export async function readFromEditor(
  { limits }: SessionContext,
  route: EditorFiles,
  request: EditorRead,
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

export async function writeToEditor(
  { limits }: SessionContext,
  route: EditorFiles,
  request: EditorWrite,
): Promise<boolean> {
  const attempt = () =>
    withTimeLimit(limits.fileWriteMs, editorAnswer, (signal) => route.write(request, signal));
  const again = async () => {
    // The second try reached no editor, but the first may have.
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

/** If an editor refused, neither it nor the disk is tried again: the disk would bypass the refusal. */
function unlessAnswered<Result>(again: () => Promise<Result>): (error: unknown) => Promise<Result> {
  return (error) => {
    const { code } = error instanceof LandlineError ? error : { code: "connection-lost" };
    if (code !== "connection-lost" && code !== "timeout") throw error;
    return again();
  };
}
