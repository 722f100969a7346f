import type {
  ReadTextFileRequest,
  ReadTextFileResponse,
  WriteTextFileRequest,
  WriteTextFileResponse,
} from "@agentclientprotocol/sdk";
import { LandlineError } from "@landline/protocol";
import { pathOfOpened } from "@landline/system/opened-path";
import type { AttachedEditors } from "./editors.ts";
import type { AllowedPaths } from "./permissions/allowed-paths.ts";
import type { SessionContext } from "./session-context.ts";
import { type EditorRead, readFromEditor, writeToEditor } from "./files/editor-files.ts";
import { FileVersion } from "./files/file-version.ts";
import type { FileGuard } from "./files/guarded-file.ts";
import { notText, readLines, tooLarge } from "./files/lines.ts";
import { replaceFile } from "./files/replace.ts";
import type { Temporaries } from "./files/temporaries.ts";
import { editorPath } from "./paths/absolute-path.ts";
import { namingMissingFile, refusal } from "./paths/refusal.ts";
import { openForReading, type Purpose, resolvePath } from "./paths.ts";
import { Rate } from "./rate-limit.ts";
import { withTimeLimit } from "./time-limit.ts";

export interface FilesOptions {
  /** A missing file reads as an empty text. */
  readonly missingFileIsEmpty: boolean;
  readonly temporaries: Temporaries;
  /** They are asked before the disk. */
  readonly editors?: AttachedEditors;
  /** The permission requests that allowed paths. */
  readonly allowed?: Pick<AllowedPaths, "askFor" | "isAllowed">;
  /** Whether the agent needs permission for a file because it is confined. */
  readonly isGuarded?: FileGuard;
}

export type ReadParams = Pick<ReadTextFileRequest, "path" | "line" | "limit">;
export type WriteParams = Pick<WriteTextFileRequest, "path" | "content">;

/**
 * `fs/read_text_file` and `fs/write_text_file` for one session. Text is passed on unchanged. Writes to one file are done in
 * the order of the requests, and each is atomic. The log records exactly what was done.
 */
export class Files {
  readonly #context: SessionContext;
  readonly #options: FilesOptions;
  readonly #reads: Rate;
  readonly #writes: Rate;
  /** Paths are resolved in sequence, so that writes to a file stay in order. */
  #resolving: Promise<unknown> = Promise.resolve();
  readonly #lastWrites = new Map<string, Promise<unknown>>();

  constructor(context: SessionContext, options: FilesOptions) {
    this.#context = context;
    this.#options = options;
    this.#reads = new Rate(context.limits.fileReadsPerMinute);
    this.#writes = new Rate(context.limits.fileWritesPerMinute);
  }

  async read(params: ReadParams, signal?: AbortSignal): Promise<ReadTextFileResponse> {
    await this.#reads.take(signal);
    try {
      return { content: await namingMissingFile(params.path, this.#read(params)) };
    } catch (error) {
      const missing = error instanceof LandlineError && error.code === "file-not-found";
      if (missing && this.#options.missingFileIsEmpty) return { content: "" };
      throw error;
    }
  }

  async write(params: WriteParams, signal?: AbortSignal): Promise<WriteTextFileResponse> {
    checkText(params.content);
    const { fileBytes, fileWriteMs } = this.#context.limits;
    if (Buffer.byteLength(params.content) > fileBytes) throw tooLarge(fileBytes);
    await this.#writes.take(signal);
    const resolved = this.#resolving.then(() =>
      withTimeLimit(fileWriteMs, "Finding the file", () =>
        resolvePath(this.#context, params.path, "write"),
      ),
    );
    this.#resolving = resolved.catch(() => undefined);
    const path = await namingMissingFile(params.path, resolved);
    await this.#checkGuard("write", path, params.path);
    await namingMissingFile(
      params.path,
      this.#inOrder(path, () => this.#write(path, params)),
    );
    return {};
  }

  async #read(params: ReadParams): Promise<string> {
    const { limits } = this.#context;
    const asked = {
      ...(isSet(params.line) && { line: params.line }),
      ...(isSet(params.limit) && { limit: params.limit }),
    };
    const path = await withTimeLimit(limits.fileReadMs, "Finding the file", () =>
      // The editor may have a file that is not saved yet.
      resolvePath(this.#context, params.path, this.#hasEditor("readsFiles") ? "write" : "read"),
    );
    await this.#checkGuard("read", path, params.path);
    const edited = await this.#readFromEditor(path, params.path, asked);
    const content =
      edited?.content ??
      (await withTimeLimit(limits.fileReadMs, "Reading the file", (signal) =>
        this.#readFromDisk(path, asked, signal),
      ));
    const bytes = Buffer.byteLength(content);
    const where = placeOf(edited?.editor ?? null);
    const allowedBy = this.#allowedBy("read", params.path, path);
    this.#context.record({ kind: "file-read", path, bytes, ...where, ...asked, ...allowedBy });
    return content;
  }

  #hasEditor(can: "readsFiles" | "writesFiles"): boolean {
    return this.#options.editors?.list().some((editor) => editor[can]) ?? false;
  }

  /** `asked`: the path as the agent wrote it. The editor knows its files by such names, and not by their real paths. */
  async #readFromEditor(path: string, asked: string, range: Omit<EditorRead, "path">) {
    const { editors } = this.#options;
    if (editors === undefined || !this.#hasEditor("readsFiles")) return null;
    const request = { path: editorPath(this.#context, asked, path), ...range };
    const read = await readFromEditor(this.#context, editors, request);
    if (read === null) return null;
    const { fileBytes } = this.#context.limits;
    if (Buffer.byteLength(read.content) > fileBytes) throw tooLarge(fileBytes);
    // A folder on its way may have become a link while the editor read it.
    return (await resolvePath(this.#context, asked, "write")) === path ? read : null;
  }

  async #readFromDisk(
    path: string,
    { line, limit }: Pick<EditorRead, "line" | "limit">,
    signal: AbortSignal,
  ): Promise<string> {
    const { fileBytes } = this.#context.limits;
    const { handle, facts } = await openForReading(this.#context, path);
    await using _handle = handle;
    // A folder on its way may have become a link since it was resolved.
    await this.#checkGuard("read", (await pathOfOpened(handle)) ?? path);
    const whole = line === undefined && limit === undefined;
    if (whole && facts.size > fileBytes) throw tooLarge(fileBytes);
    const range = { first: line ?? 1, count: limit ?? null };
    return textOf(await readLines(handle, range, fileBytes, signal));
  }

  async #write(path: string, { path: asked, content }: WriteParams): Promise<void> {
    const text = Buffer.from(content);
    const editor = await this.#writeToEditor(path, asked, content);
    if (editor === null) await this.#writeToDisk(path, text);
    const allowedBy = this.#allowedBy("write", asked, path);
    const bytes = text.length;
    this.#context.record({ kind: "file-written", path, bytes, ...placeOf(editor), ...allowedBy });
  }

  /** The editor that has written the file; null if it must be written to the disk. */
  async #writeToEditor(path: string, asked: string, content: string): Promise<string | null> {
    const { editors } = this.#options;
    if (editors === undefined || !this.#hasEditor("writesFiles")) return null;
    const before = await FileVersion.of(path);
    const request = { path: editorPath(this.#context, asked, path), content };
    const written = await writeToEditor(this.#context, editors, request);
    if (written === "no") return null;
    const { editor, isCertain } = written;
    if (isCertain) return editor;
    const text = Buffer.from(content);
    if (await FileVersion.hasContent(path, text)) return editor;
    await this.#writeToDisk(path, text, async () => {
      if (!before.equals(await FileVersion.of(path))) throw this.#changedMeanwhile(path, editor);
    });
    return null;
  }

  async #writeToDisk(path: string, text: Buffer, alsoCheck = async () => {}): Promise<void> {
    const { temporaries } = this.#options;
    const check = async (real: string) => {
      await this.#checkGuard("write", real);
      await alsoCheck();
    };
    await withTimeLimit(this.#context.limits.fileWriteMs, "Writing the file", (signal) =>
      replaceFile(this.#context, temporaries, { path, text, check }, signal),
    );
  }

  /** The change may be a person's, or the editor's own with the text reformatted: neither is overwritten. */
  #changedMeanwhile(path: string, editor: string): LandlineError {
    const message = `${editor} did not confirm the write, and the file has changed since. It was not overwritten. Read it, and write it again if needed.`;
    const { code } = new LandlineError("connection-lost");
    this.#context.record({ kind: "error", code, message: `${path}: ${message}` });
    return new LandlineError(code, { message });
  }

  #allowedBy(use: Purpose, asked: string, path: string): { readonly ask?: string } {
    const ask = this.#options.allowed?.askFor(use, asked, path) ?? null;
    return ask === null ? {} : { ask };
  }

  /**
   * A confined agent gets no more by asking the gateway than by itself. A permission counts for the file that it names, and
   * not for what a link of that name leads to. `asked`: as the agent wrote it.
   */
  async #checkGuard(use: Purpose, path: string, asked: string = path): Promise<void> {
    const { isGuarded, allowed } = this.#options;
    if (!isGuarded || !(await isGuarded(use, { path, asked }))) return;
    if (allowed?.isAllowed(use, path) !== true) throw refusal("guarded");
  }

  async #inOrder(path: string, work: () => Promise<void>): Promise<void> {
    const mine = (this.#lastWrites.get(path) ?? Promise.resolve()).then(work);
    const settled = mine.catch(() => undefined);
    this.#lastWrites.set(path, settled);
    try {
      await mine;
    } finally {
      if (this.#lastWrites.get(path) === settled) this.#lastWrites.delete(path);
    }
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw notText();
  }
}

function checkText(content: string): void {
  if (content.includes("\0")) {
    throw new LandlineError("invalid-params", { message: "The text contains a NUL character." });
  }
  if (!content.isWellFormed()) {
    throw new LandlineError("invalid-params", {
      message: "The text contains an unpaired surrogate, which UTF-8 cannot encode.",
    });
  }
}

/** Where the file was read or written, for the log. */
function placeOf(editor: string | null) {
  return editor === null ? ({ via: "disk" } as const) : ({ via: "editor", editor } as const);
}

function isSet(value: number | null | undefined): value is number {
  return value !== undefined && value !== null;
}
