import { readdir, rename, rm, stat } from "node:fs/promises";
import * as path from "node:path";
import { writeBundle } from "./build/bundle.ts";
import { dist, folders, wantedName } from "./bundle.cjs";

const TRIES = 3;
/** A gateway that runs loads what it needs late from its own bundle, so older ones stay for a while. */
const BUNDLES_KEPT = 10;
/** A draft that is older was left by a build that was killed. */
const BUILD_MS_MAX = 60 * 60 * 1_000;

await build();
await removeOldOnes();

/** What was made while a source changed is made again: it would be known by the wrong content. */
async function build(): Promise<void> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const name = wantedName();
    const draft = path.join(dist, `.${name}-${process.pid}`);
    try {
      await writeBundle(draft);
      if (wantedName() === name) return await putInPlace(draft, path.join(dist, name));
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  throw new Error("The sources change faster than they can be built. Build again when they rest.");
}

async function putInPlace(draft: string, place: string): Promise<void> {
  try {
    await rename(draft, place);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It is there already: the same, made by another.
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  }
}

async function removeOldOnes(): Promise<void> {
  const drafts = (await readdir(dist)).filter((name) => name.startsWith("."));
  const abandoned: string[] = [];
  for (const draft of drafts.map((name) => path.join(dist, name))) {
    const { mtimeMs } = await stat(draft);
    if (Date.now() - mtimeMs > BUILD_MS_MAX) abandoned.push(draft);
  }
  for (const folder of [...folders().slice(BUNDLES_KEPT), ...abandoned])
    await rm(folder, { recursive: true, force: true });
}
