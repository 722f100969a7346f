import { dirname } from "node:path";
import { isWithin } from "@landline/shell";
import type { Client } from "../acp/acp-client.ts";
import { fileLimits } from "../limits.ts";
import { type ClientRefusal, refusalOf, wordsOf } from "./client-refusal.ts";
import { binaryFile, fileTooLarge, splitByteOrderMark, withByteOrderMark } from "./file-text.ts";
import { localFiles } from "./local-files.ts";
import { inLocatedFolder, requireLocated } from "./located-path.ts";
import { unlessAborted } from "@landline/system/unless-aborted";
import type { UnsavedFiles } from "./unsaved-files.ts";
import { FileProblem, type LocatedPath, type TextFile } from "./workspace.ts";

export interface ClientFilesOptions {
  client: Client;
  sessionId: string;
  cwd: string;
  /** The agent's own folders, which the client is never asked about. */
  ownFolders: readonly string[];
  unsaved: UnsavedFiles;
}

/**
 * Files as the client sees them, including unsaved text, as far as it supports reading and writing. A write
 * goes to the client or to the disk, never to both: to the disk only if the client cannot have written it.
 */
export class ClientFiles {
  readonly #options: ClientFilesOptions;
  #reads: boolean;
  #writes: boolean;

  constructor(options: ClientFilesOptions) {
    this.#options = options;
    this.#reads = options.client.capabilities.fs?.readTextFile === true;
    this.#writes = options.client.capabilities.fs?.writeTextFile === true;
  }

  async readText(file: LocatedPath, signal?: AbortSignal): Promise<TextFile> {
    const { path } = file;
    if (!this.#reads || !this.#isTheirs(file)) return localFiles.readText(file);
    // Do not ask an editor for folders and binary files.
    const onDisk = await localFiles.checkText(file);
    const content = await this.#ask(file, signal);
    if (content === null) return localFiles.readText(file);
    // Some clients return an empty text for a missing file.
    if (content === "" && onDisk === null) throw notFound(path);
    const size = Buffer.byteLength(content);
    if (size > fileLimits.textBytes) throw fileTooLarge(path, size, fileLimits.textBytes);
    if (content.includes("\0")) throw binaryFile(path);
    const { text, bom } = splitByteOrderMark(content);
    await this.#compare(file, text);
    // Editors hide the byte-order mark; restore it when writing to the disk.
    return { text, bom: bom || (!this.#writes && onDisk?.bom === true), via: "client" };
  }

  async writeText(file: LocatedPath, text: string, options: { bom?: boolean } = {}): Promise<void> {
    const { path } = file;
    if (!this.#writes || !this.#isTheirs(file)) return localFiles.writeText(file, text, options);
    await this.#makeFolder(file);
    const { client, sessionId } = this.#options;
    await requireLocated(file);
    try {
      await client.writeTextFile(sessionId, path, withByteOrderMark(text, options.bom));
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== "not-offered") throw clientProblem(path, refusal, error);
      this.#writes = false;
      return localFiles.writeText(file, text, options);
    }
    await requireLocated(file);
    await this.#compare(file, text);
  }

  /** Null when the file must be read from the disk. The client opens it by name, so that is checked before and after. */
  async #ask(file: LocatedPath, signal: AbortSignal | undefined): Promise<string | null> {
    const { client, sessionId } = this.#options;
    const { path } = file;
    await requireLocated(file);
    try {
      const text = await unlessAborted(client.readTextFile(sessionId, path, signal), signal);
      await requireLocated(file);
      return text;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof FileProblem) throw error;
      const refusal = refusalOf(error);
      if (refusal === "not-offered") this.#reads = false;
      // Clients report ignored files as missing; the disk may have them.
      else if (refusal !== "not-found") throw clientProblem(path, refusal, error);
      this.#options.unsaved.note(path, false);
      return null;
    }
  }

  #isTheirs({ path, isOutside }: LocatedPath): boolean {
    const { ownFolders } = this.#options;
    return !isOutside && !ownFolders.some((folder) => isWithin(folder, path));
  }

  async #compare(file: LocatedPath, text: string): Promise<void> {
    const disk = await localFiles.readText(file).catch(() => null);
    this.#options.unsaved.note(file.path, disk?.text !== text);
  }

  /** Not all clients create the folder of a new file. */
  async #makeFolder({ path, real }: LocatedPath): Promise<void> {
    const root = await localFiles.stat(this.#options.cwd);
    if (root === null) return;
    await inLocatedFolder({ path, real: dirname(real) }, { make: true }, async () => undefined);
  }
}

function notFound(path: string): FileProblem {
  return new FileProblem("file-not-found", path, `There is no file ${path}.`);
}

function clientProblem(path: string, refusal: ClientRefusal, error: unknown): FileProblem {
  const words = wordsOf(error);
  const cause = { cause: error };
  switch (refusal) {
    case "not-found":
      return new FileProblem(
        "file-not-found",
        path,
        `The client found no ${path}: ${words}`,
        cause,
      );
    // The disk is not used instead: the client may know better than this process where the path leads.
    case "outside":
    case "denied":
      return new FileProblem(
        "permission-denied",
        path,
        `The client does not allow access to ${path}: ${words}`,
        cause,
      );
    case "is-a-directory":
      return new FileProblem("is-a-directory", path, `${path} is a folder, not a file.`, cause);
    default:
      return new FileProblem(
        "failed",
        path,
        `The client could not handle ${path}: ${words}. What it holds may differ from the disk, so the disk was left alone; try again.`,
        cause,
      );
  }
}
