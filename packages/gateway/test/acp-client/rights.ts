import { chmod } from "node:fs/promises";

const NOBODY = 65_534;

/**
 * Runs the work as a user to whom permission bits apply, because tests often run as root. The folder is accessible to
 * everybody meanwhile.
 */
export async function withoutRights<Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (process.geteuid?.() !== 0) return work();
  await chmod(folder, 0o755);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
