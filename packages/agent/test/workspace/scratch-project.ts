import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A project folder with a folder outside, removed at the end. */
export interface Scratch extends AsyncDisposable {
  readonly project: string;
  readonly outside: string;
  /** Writes files of the project; returns the path of the last. */
  write(files: Record<string, string | Uint8Array>): Promise<string>;
  read(path: string): Promise<string>;
}

export async function openScratch(): Promise<Scratch> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "landline-agent-")));
  const project = join(folder, "project");
  const outside = join(folder, "outside");
  await Promise.all([mkdir(project), mkdir(outside)]);
  return {
    project,
    outside,
    async write(files) {
      let last = project;
      for (const [name, content] of Object.entries(files)) {
        last = join(project, name);
        await mkdir(dirname(last), { recursive: true });
        await writeFile(last, content);
      }
      return last;
    },
    read: (path) => readFile(join(project, path), "utf8"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
