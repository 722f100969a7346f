import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openProject, type OpenProjectOptions } from "../../src/config/project.ts";
import type { Project } from "../../src/config/config.ts";

/** A home and a project in the test's own folder. */
export interface Scratch extends AsyncDisposable {
  home: string;
  project: string;
  /** Paths are relative to the scratch folder: `home/…`, `project/…`. Values that are not strings become JSON. */
  write(files: Readonly<Record<string, unknown>>): Promise<void>;
  open(options?: Partial<OpenProjectOptions>): Promise<Project>;
}

export async function scratch(files: Readonly<Record<string, unknown>> = {}): Promise<Scratch> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "landline-config-")));
  const home = join(root, "home");
  const project = join(root, "project");
  for (const folder of ["objects", "refs"])
    await mkdir(join(project, ".git", folder), { recursive: true });
  await writeFile(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
  await mkdir(home, { recursive: true });
  const write: Scratch["write"] = async (more) => {
    for (const [path, content] of Object.entries(more)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(
        join(root, path),
        typeof content === "string" ? content : JSON.stringify(content),
      );
    }
  };
  await write(files);
  return {
    home,
    project,
    write,
    open: (options) =>
      openProject({
        cwd: project,
        directories: [],
        environment: { PATH: process.env["PATH"] },
        home,
        ...options,
      }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

/** The user's configuration trusts the project's folder. */
export const trustAll = { "home/.config/landline/agent.jsonc": { trust: ["/**"] } };
