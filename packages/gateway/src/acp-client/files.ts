import type {
  ReadTextFileRequest,
  ReadTextFileResponse,
  WriteTextFileRequest,
  WriteTextFileResponse,
} from "@agentclientprotocol/sdk";
import { LandlineError } from "@landline/protocol";
import type { AllowedPaths } from "./permissions/allowed-paths.ts";
import type { SessionContext } from "./session-context.ts";
import { notText, readLines, tooLarge } from "./files/lines.ts";
import { replaceFile } from "./files/replace.ts";
import {
  type EditorFiles,
  readFromEditor,
  type EditorRead,
  writeToEditor,
} from "./files/editor-files.ts";
import type { Temporaries } from "./files/temporaries.ts";
import { namingMissingFile, refusal } from "./paths/refusal.ts";
import { openForReading, pathOfOpened, type Purpose, resolvePath } from "./paths.ts";
import { Rate } from "./rate-limit.ts";
import { withTimeLimit } from "./time-limit.ts";

export interface FilesOptions {
  /** A missing file reads as an empty text. */
  readonly missingFileIsEmpty: boolean;
  readonly temporaries: Temporaries;
  /** An attached editor, which is asked before the disk. */
  readonly route?: EditorFiles;
  /** The permission requests that allowed paths. */
  readonly allowed?: Pick<AllowedPaths, "askFor" | "isAllowed">;
  /** Whether the sandbox of the agent keeps it from a file. Without it, the agent is not confined. */
  readonly isGuarded?: (use: Purpose, paths: readonly string[]) => Promise<boolean>;
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
      resolvePath(this.#context, params.path, this.#options.route ? "write" : "read"),
    );
    await this.#checkGuard("read", path, params.path);
    const routed = await this.#readFromEditor({ path, ...asked });
    const content =
      routed ??
      (await withTimeLimit(limits.fileReadMs, "Reading the file", (signal) =>
        this.#readFromDisk(path, asked, signal),
      ));
    const bytes = Buffer.byteLength(content);
    const via = routed === null ? "disk" : "editor";
    const allowedBy = this.#allowedBy("read", params.path, path);
    this.#context.record({ kind: "file-read", path, bytes, via, ...asked, ...allowedBy });
    return content;
  }

  async #readFromEditor(request: EditorRead): Promise<string | null> {
    if (this.#options.route === undefined) return null;
    const content = await readFromEditor(this.#context, this.#options.route, request);
    const { fileBytes } = this.#context.limits;
    if (content !== null && Buffer.byteLength(content) > fileBytes) throw tooLarge(fileBytes);
    return content;
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
    const { fileWriteMs } = this.#context.limits;
    const { route, temporaries } = this.#options;
    const routed =
      route !== undefined && (await writeToEditor(this.#context, route, { path, content }));
    const text = Buffer.from(content);
    const check = (real: string) => this.#checkGuard("write", real);
    if (!routed) {
      await withTimeLimit(fileWriteMs, "Writing the file", (signal) =>
        replaceFile(this.#context, temporaries, { path, text, check }, signal),
      );
    }
    const via = routed ? "editor" : "disk";
    const allowedBy = this.#allowedBy("write", asked, path);
    this.#context.record({ kind: "file-written", path, bytes: text.length, via, ...allowedBy });
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
    if (!isGuarded || !(await isGuarded(use, [path, asked]))) return;
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
    throw new LandlineError("invalid-params", { message: "The text has a NUL character in it." });
  }
  if (!content.isWellFormed()) {
    throw new LandlineError("invalid-params", {
      message: "The text has half a character in it, which no file in UTF-8 can hold.",
    });
  }
}

function isSet(value: number | null | undefined): value is number {
  return value !== undefined && value !== null;
}
