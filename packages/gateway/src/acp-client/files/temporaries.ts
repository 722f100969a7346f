import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { constants, lstat, mkdir, open, readdir, readFile, rm, unlink } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { hasErrorCode, isDiskFull } from "@landline/system/error-code";
import { inFolder, pathOfOpened } from "@landline/system/opened-path";
import { LandlineError, type Limits } from "@landline/protocol";
import { diskErrorCode } from "../../data-folder/disk-error-code.ts";
import { withTimeLimit } from "../time-limit.ts";

/**
 * Records the temporary files in people's folders, so that the next start removes those that a killed gateway left. A note
 * in the data folder exists from before its file is created until the file is gone. Only files that a note names are removed,
 * and only regular files of ours in the same folder that was written to.
 */
export class Temporaries {
  readonly #notes: string;

  private constructor(notes: string) {
    this.#notes = notes;
  }

  /** Removes what an earlier gateway left. The caller owns the data folder, and writes nothing yet. */
  static async open(notes: string, options: TemporariesOptions): Promise<Temporaries> {
    await mkdir(notes, { mode: 0o700 }).catch((error: unknown) => {
      // On a full disk each write reports it, but the gateway has to start.
      if (!hasErrorCode(error, "EEXIST") && !isDiskFull(error)) throw unusable(error);
    });
    await withTimeLimit(options.limits.fileWriteMs, "Removing temporary files", (signal) =>
      removeLeftovers(notes, signal, options.report),
    ).catch((error: unknown) => options.report(notes, error));
    return new Temporaries(notes);
  }

  /** A name for a file beside this one, recorded in a note. */
  note(path: string): Temporary {
    const id = randomBytes(6).toString("hex");
    const name = `.${basename(path).slice(0, 40)}.${id}.tmp`;
    const note = join(this.#notes, id);
    const text = JSON.stringify({ folder: dirname(path), name } satisfies Note);
    try {
      // Synchronous, because four round trips to other threads take longer than the calls.
      writeFileSync(note, text, { mode: 0o600, flag: "wx" });
    } catch (error) {
      throw unusable(error);
    }
    return { name, gone: () => rmSync(note, { force: true }) };
  }
}

export interface TemporariesOptions {
  readonly limits: Pick<Limits, "fileWriteMs">;
  /** Called for files that could not be removed. The next start tries again. */
  readonly report: (path: string, error: unknown) => void;
}

export interface Temporary {
  readonly name: string;
  /** The file was renamed or removed. */
  gone(): void;
}

interface Note {
  readonly folder: string;
  readonly name: string;
}

const NOTE = /^[0-9a-f]{12}$/;

async function removeLeftovers(
  notes: string,
  signal: AbortSignal,
  report: TemporariesOptions["report"],
): Promise<void> {
  for (const id of await readdir(notes)) {
    if (!NOTE.test(id)) continue;
    let path = join(notes, id);
    try {
      const note = readNote(await readFile(path, "utf8"), id);
      if (note) {
        path = join(note.folder, note.name);
        await removeTemporary(note, signal);
      }
      signal.throwIfAborted();
      await rm(join(notes, id), { force: true });
    } catch (error) {
      signal.throwIfAborted();
      report(path, error);
    }
  }
}

/** Null for an incomplete note: its file was not created. */
function readNote(text: string, id: string): Note | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { folder, name } = (value ?? {}) as Partial<Record<keyof Note, unknown>>;
  if (typeof folder !== "string" || typeof name !== "string" || !isAbsolute(folder)) return null;
  const isOurs = name.startsWith(".") && name.endsWith(`.${id}.tmp`) && name === basename(name);
  return isOurs ? { folder, name } : null;
}

/** Does nothing if the folder is another one now, or the entry is not a regular file. */
async function removeTemporary({ folder, name }: Note, signal: AbortSignal): Promise<void> {
  try {
    const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
    await using handle = await open(folder, flags);
    const at = await pathOfOpened(handle);
    if (at !== null && at !== folder) return;
    const file = await inFolder(handle, folder, name);
    const facts = await lstat(file);
    signal.throwIfAborted();
    if (facts.isFile() && facts.uid === (process.getuid?.() ?? facts.uid)) await unlink(file);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT", "ENOTDIR", "ELOOP")) throw error;
  }
}

function unusable(cause: unknown): LandlineError {
  return new LandlineError(diskErrorCode(cause), {
    message: "The file was not written: the gateway's data folder is not writable.",
    help: "Free disk space for the data folder, or allow Landline to write there.",
    cause,
  });
}
