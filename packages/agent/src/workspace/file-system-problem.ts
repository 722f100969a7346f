import { isDiskFull } from "@landline/system/error-code";
import { errorMessage } from "@landline/system/error-message";
import type { Stats } from "node:fs";
import { FileProblem, type FileProblemReason } from "./workspace.ts";

interface Words {
  reason: FileProblemReason;
  message(path: string): string;
}

const folder: Words = {
  reason: "is-a-directory",
  message: (path) => `${path} is a folder, not a file.`,
};

const words: Record<string, Words> = {
  ENOENT: { reason: "file-not-found", message: (path) => `There is no file ${path}.` },
  ENOTDIR: {
    reason: "file-not-found",
    message: (path) => `There is no file ${path}: a part of its path is a file, not a folder.`,
  },
  EACCES: {
    reason: "permission-denied",
    message: (path) => `The system does not allow access to ${path}. Check its owner and mode.`,
  },
  EPERM: {
    reason: "permission-denied",
    message: (path) => `The system does not allow that for ${path}. Check its owner and mode.`,
  },
  EROFS: {
    reason: "permission-denied",
    message: (path) => `${path} is on a file system that can't be written.`,
  },
  EISDIR: folder,
  ERR_FS_EISDIR: folder,
  ENAMETOOLONG: { reason: "failed", message: (path) => `The name is too long: ${path}.` },
  ELOOP: { reason: "failed", message: (path) => `The symbolic links at ${path} form a loop.` },
};

const full: Words = {
  reason: "failed",
  message: (path) => `There is no space left on the disk for ${path}. Nothing was changed.`,
};

/** Converts an error of the file system; a FileProblem is returned unchanged. */
export function fileSystemProblem(error: unknown, path: string): FileProblem {
  if (error instanceof FileProblem) return error;
  const known = isDiskFull(error) ? full : words[systemCode(error) ?? ""];
  if (known !== undefined) {
    return new FileProblem(known.reason, path, known.message(path), { cause: error });
  }
  const detail = errorMessage(error);
  return new FileProblem("failed", path, `${path} could not be used: ${detail}`, { cause: error });
}

/** Throws FileProblem for a folder, a device or a pipe. */
export function requireFile(facts: Pick<Stats, "isFile" | "isDirectory">, path: string): void {
  if (facts.isFile()) return;
  if (facts.isDirectory()) throw new FileProblem(folder.reason, path, folder.message(path));
  throw new FileProblem("failed", path, `${path} is a device or a pipe, not a file.`);
}

export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
