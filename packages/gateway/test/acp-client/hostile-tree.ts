import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Scratch } from "./scratch.ts";

/** The files for the table of hostile paths. The socket lives until it is disposed. */
export async function makeHostileTree({
  project,
  outside,
}: Pick<Scratch, "project" | "outside">): Promise<AsyncDisposable> {
  const inProject = (name: string) => join(project, name);
  await writeFile(join(outside, "secret.txt"), "secret");
  await writeFile(inProject("a.txt"), "inside");
  await mkdir(`${project}-other`);
  await writeFile(join(`${project}-other`, "a.txt"), "another project");
  await mkdir(inProject("folder"));
  await symlink(join(outside, "secret.txt"), inProject("link-to-secret"));
  await symlink(outside, inProject("link-to-outside"));
  await symlink("/", inProject("link-to-root"));
  await symlink(inProject("link-to-secret"), inProject("link-to-link"));
  await symlink("../outside/secret.txt", inProject("relative-link"));
  await symlink(inProject("folder"), inProject("link-to-folder"));
  await symlink(inProject("nothing"), inProject("dead-link"));
  await symlink(join(outside, "nothing"), inProject("dead-link-outside"));
  await symlink(inProject("loop"), inProject("loop"));
  await symlink("/proc/self/environ", inProject("link-to-environ"));
  await symlink("/dev/zero", inProject("link-to-zero"));
  await promisify(execFile)("mkfifo", [inProject("fifo")]);
  const server = createServer().listen(inProject("socket"));
  await once(server, "listening");
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}
