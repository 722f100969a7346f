import * as fs from "node:fs/promises";
import * as path from "node:path";
import { LandlineError } from "@landline/protocol";

/** Resolves the folders of a session: absolute, existing, without symlinks. The cwd is the first. */
export async function resolveRoots(
  cwd: string,
  more: readonly string[],
): Promise<{ cwd: string; roots: string[] }> {
  const roots: string[] = [];
  for (const folder of [cwd, ...more]) {
    if (!path.isAbsolute(folder) || folder.includes("\0")) {
      throw new LandlineError("invalid-params", {
        message: `A session's folder must be an absolute path: ${JSON.stringify(folder)} is not.`,
      });
    }
    const real = await fs.realpath(folder).catch(() => null);
    const isFolder = real !== null && (await fs.stat(real)).isDirectory();
    if (!isFolder)
      throw new LandlineError("file-not-found", {
        message: `There is no folder ${folder}.`,
        help: "Choose a folder that exists.",
      });
    if (!roots.includes(real)) roots.push(real);
  }
  return { cwd: path.resolve(cwd), roots };
}
