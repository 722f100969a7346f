import { type FileHandle, lstat, readdir, stat, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { fileLimits } from "../limits.ts";
import { binaryFile, fileTooLarge, textOfBytes, withByteOrderMark } from "./file-text.ts";
import { inLocatedFolder, type Located, openLocated } from "./located-path.ts";
import { replaceFile } from "./replace-file.ts";
import { requireFile, systemCode, fileSystemProblem } from "./file-system-problem.ts";
import { FileProblem, type LocatedPath, type TextFile, type Workspace } from "./workspace.ts";

/** Local files, used where they were located. Failures are FileProblems. */
export const localFiles = {
  async readText(file: Located): Promise<TextFile> {
    const bytes = await readWhole(file, fileLimits.textBytes);
    return { ...textOfBytes(bytes, file.path), via: "disk" };
  },

  readBytes: readWhole,

  async writeText(file: Located, text: string, options: { bom?: boolean } = {}): Promise<void> {
    await replaceFile(file, Buffer.from(withByteOrderMark(text, options.bom)));
  },

  async remove({ path, entry }: Pick<LocatedPath, "path" | "entry">): Promise<void> {
    const folder = { path, real: dirname(entry) };
    await inLocatedFolder(folder, { make: false }, async (at) => {
      const target = await at(basename(entry));
      const facts = await lstat(target);
      if (facts.isDirectory()) requireFile(facts, path);
      await unlink(target);
    });
  },

  async stat(path: string): ReturnType<Workspace["stat"]> {
    try {
      const facts = await stat(path);
      const type = facts.isFile() ? "file" : facts.isDirectory() ? "directory" : "other";
      return { type, size: facts.size, modifiedAt: facts.mtimeMs };
    } catch (error) {
      const problem = fileSystemProblem(error, path);
      if (problem.reason === "file-not-found") return null;
      throw problem;
    }
  },

  async list({ path, real }: Located): ReturnType<Workspace["list"]> {
    try {
      const entries = await inLocatedFolder({ path, real }, { make: false }, async (at) =>
        readdir(await at("."), { withFileTypes: true }),
      );
      return entries
        .map((entry) => ({ name: entry.name, type: typeOf(entry) }))
        .sort((one, other) => (one.name < other.name ? -1 : 1));
    } catch (error) {
      if (error instanceof FileProblem && systemCode(error.cause) === "ENOTDIR") {
        throw new FileProblem("failed", path, `${path} is a file, not a folder.`, { cause: error });
      }
      throw error;
    }
  },

  /** Throws what a text read would throw, without reading the file; null when it does not exist. */
  async checkText({ path, real }: Located): Promise<{ bom: boolean } | null> {
    try {
      await using handle = await openFile({ path, real }, fileLimits.textBytes);
      const head = Buffer.alloc(fileLimits.sniffedBytes);
      const { bytesRead } = await handle.read(head, 0, head.length, 0);
      const bytes = head.subarray(0, bytesRead);
      if (bytes.includes(0)) throw binaryFile(path);
      return { bom: bytes.subarray(0, 3).equals(Buffer.from("\uFEFF")) };
    } catch (error) {
      const problem = fileSystemProblem(error, path);
      if (problem.reason === "file-not-found") return null;
      throw problem;
    }
  },
};

async function readWhole({ path, real }: Located, maxBytes: number): Promise<Buffer> {
  try {
    await using handle = await openFile({ path, real }, maxBytes);
    const bytes = await handle.readFile();
    // The file may have grown, and files in /proc report size 0.
    if (bytes.length > maxBytes) throw fileTooLarge(path, bytes.length, maxBytes);
    return bytes;
  } catch (error) {
    throw fileSystemProblem(error, path);
  }
}

/** Opens regular files only, and does not block on a pipe. */
async function openFile({ path, real }: Located, maxBytes: number): Promise<FileHandle> {
  const handle = await openLocated({ path, real });
  try {
    const facts = await handle.stat();
    requireFile(facts, path);
    if (facts.size > maxBytes) throw fileTooLarge(path, facts.size, maxBytes);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function typeOf(entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): "file" | "directory" | "symlink" | "other" {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "other";
}
