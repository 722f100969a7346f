import { chmod } from "node:fs/promises";

const NOBODY = 65_534;

/**
 * Runs the work as somebody whom mode bits stop: they do not stop root, as which tests often run. The folder is
 * opened to everybody for that time.
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
