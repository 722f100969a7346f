import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { isWithin } from "@landline/shell";
import type { Client } from "../acp/acp-client.ts";
import { fileLimits } from "../limits.ts";
import { type ClientRefusal, refusalOf, wordsOf } from "./client-refusal.ts";
import { binaryFile, fileTooLarge, splitByteOrderMark, withByteOrderMark } from "./file-text.ts";
import { localFiles } from "./local-files.ts";
import type { Roots } from "./roots.ts";
import { fileSystemProblem } from "./file-system-problem.ts";
import { unlessAborted } from "@landline/system/unless-aborted";
import type { UnsavedFiles } from "./unsaved-files.ts";
import { FileProblem, type TextFile } from "./workspace.ts";

export interface ClientFilesOptions {
  client: Client;
  sessionId: string;
  roots: Roots;
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

  async readText(path: string, signal?: AbortSignal): Promise<TextFile> {
    if (!this.#reads || !(await this.#isTheirs(path))) return localFiles.readText(path);
    // Do not ask an editor for folders and binary files.
    const onDisk = await localFiles.checkText(path);
    const content = await this.#ask(path, signal);
    if (content === null) return localFiles.readText(path);
    // Some clients return an empty text for a missing file.
    if (content === "" && onDisk === null) throw notFound(path);
    const size = Buffer.byteLength(content);
    if (size > fileLimits.textBytes) throw fileTooLarge(path, size, fileLimits.textBytes);
    if (content.includes("\0")) throw binaryFile(path);
    const { text, bom } = splitByteOrderMark(content);
    await this.#compare(path, text);
    // Editors hide the byte-order mark; restore it when writing to the disk.
    return { text, bom: bom || (!this.#writes && onDisk?.bom === true), via: "client" };
  }

  async writeText(path: string, text: string, options: { bom?: boolean } = {}): Promise<void> {
    if (!this.#writes || !(await this.#isTheirs(path))) {
      return localFiles.writeText(path, text, options);
    }
    await this.#makeFolder(path);
    const { client, sessionId } = this.#options;
    try {
      await client.writeTextFile(sessionId, path, withByteOrderMark(text, options.bom));
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === "not-offered") this.#writes = false;
      else if (refusal !== "outside") throw clientProblem(path, refusal, error);
      return localFiles.writeText(path, text, options);
    }
    await this.#compare(path, text);
  }

  /** Null when the file must be read from the disk. */
  async #ask(path: string, signal: AbortSignal | undefined): Promise<string | null> {
    const { client, sessionId } = this.#options;
    try {
      return await unlessAborted(client.readTextFile(sessionId, path, signal), signal);
    } catch (error) {
      signal?.throwIfAborted();
      const refusal = refusalOf(error);
      if (refusal === "not-offered") this.#reads = false;
      // Clients report ignored and external files as missing; the disk may have them.
      else if (refusal !== "not-found" && refusal !== "outside") {
        throw clientProblem(path, refusal, error);
      }
      this.#options.unsaved.note(path, false);
      return null;
    }
  }

  async #isTheirs(path: string): Promise<boolean> {
    const { roots, ownFolders } = this.#options;
    if (ownFolders.some((folder) => isWithin(folder, path))) return false;
    return roots.contains(path);
  }

  async #compare(path: string, text: string): Promise<void> {
    const disk = await localFiles.readText(path).catch(() => null);
    this.#options.unsaved.note(path, disk?.text !== text);
  }

  /** Not all clients create the folder of a new file. */
  async #makeFolder(path: string): Promise<void> {
    const root = await localFiles.stat(this.#options.roots.cwd);
    if (root === null) return;
    try {
      await mkdir(dirname(path), { recursive: true });
    } catch (error) {
      throw fileSystemProblem(error, path);
    }
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
