import { LandlineError } from "@landline/protocol";
import { type AttachedEditors, type Editor, isRefusal } from "../editors.ts";
import type { SessionContext } from "../session-context.ts";
import { withTimeLimit } from "../time-limit.ts";

export interface EditorRead {
  readonly path: string;
  readonly line?: number;
  readonly limit?: number;
}

export interface EditorWrite {
  readonly path: string;
  readonly content: string;
}

/**
 * Asks the attached editors in turn, all of them within `fileReadMs`. Null if none answered: then the file is read from the
 * disk.
 */
export async function readFromEditor(
  { sessionId, limits }: SessionContext,
  editors: AttachedEditors,
  request: EditorRead,
): Promise<{ readonly content: string; readonly editor: string } | null> {
  const params = { sessionId, ...request };
  const end = performance.now() + limits.fileReadMs;
  for (const editor of editors.list().filter(({ readsFiles }) => readsFiles)) {
    try {
      const leftMs = Math.max(0, end - performance.now());
      const result = await withTimeLimit(leftMs, editorAnswer, (signal) =>
        editor.request("fs/read_text_file", params, signal),
      );
      return { content: (result as { readonly content: string }).content, editor: editor.name };
    } catch (error) {
      ignoreSilent(editors, editor, error);
    }
  }
  return null;
}

export type EditorWritten =
  /** No editor has the text. */
  | "no"
  /** `isCertain: false`: the editor was lost, or did not answer in time. It may have the text. */
  | { readonly editor: string; readonly isCertain: boolean };

/** Asks the attached editors in turn until one has the text, or may have it. */
export async function writeToEditor(
  { sessionId, limits }: SessionContext,
  editors: AttachedEditors,
  { path, content }: EditorWrite,
): Promise<EditorWritten> {
  for (const editor of editors.list().filter(({ writesFiles }) => writesFiles)) {
    try {
      await withTimeLimit(limits.fileWriteMs, editorAnswer, (signal) =>
        editor.request("fs/write_text_file", { sessionId, path, content }, signal),
      );
      return { editor: editor.name, isCertain: true };
    } catch (error) {
      ignoreSilent(editors, editor, error);
      if (!isRefusal(error)) return { editor: editor.name, isCertain: false };
    }
  }
  return "no";
}

const editorAnswer = "The editor's answer";

/** An editor that does not answer would delay every later request of the agent too. */
function ignoreSilent(editors: AttachedEditors, editor: Editor, error: unknown): void {
  const isSilent = error instanceof LandlineError && error.code === "timeout" && !isRefusal(error);
  if (isSilent) editors.ignore(editor);
}
