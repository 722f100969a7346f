import { readdir, rename, rm, stat } from "node:fs/promises";
import * as path from "node:path";
import { bundle, page, type NamedBuilds } from "./bundle.cjs";

const TRIES = 3;
/** A running gateway loads modules from its own build later, so older builds are kept for a while. */
const BUILDS_KEPT = 10;
/** An older draft was left by a build that was killed. */
const BUILD_MS_MAX = 60 * 60 * 1_000;

type Write = (folder: string) => Promise<void>;

const isComplete = [
  await build("the gateway", bundle, async (folder) => {
    const { writeBundle } = await import("./build/bundle.ts");
    await writeBundle(folder);
  }),
  await build("the page", page, async (folder) => {
    const { writePage } = await import("./build/page.ts");
    await writePage(folder);
  }),
].every(Boolean);
if (!isComplete) process.exitCode = 1;

/** Returns false on failure; the other target is still built, so that one run reports all errors. */
async function build(what: string, builds: NamedBuilds, write: Write): Promise<boolean> {
  if (builds.useFresh()) return true;
  const startedAt = Date.now();
  const seconds = () => `${((Date.now() - startedAt) / 1_000).toFixed(1)} s`;
  console.error(`  building ${what}…`);
  const ticker = setInterval(() => console.error(`  still building ${what}, ${seconds()}`), 5_000);
  try {
    await attempt(builds, write);
    await removeOldBuilds(builds);
    return true;
  } catch (error) {
    console.error(`\nBuilding ${what} failed:\n`, error);
    return false;
  } finally {
    clearInterval(ticker);
  }
}

/** Builds again if a source changed meanwhile, because the name would not match the content. */
async function attempt(builds: NamedBuilds, write: Write): Promise<void> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const name = builds.wantedName() ?? "";
    const draft = path.join(builds.dist, `.${name}-${process.pid}`);
    try {
      await write(draft);
      if (builds.wantedName() === name)
        return await putInPlace(draft, path.join(builds.dist, name));
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  throw new Error(
    "The sources kept changing during the build. Build again when they no longer change.",
  );
}

async function putInPlace(draft: string, place: string): Promise<void> {
  try {
    await rename(draft, place);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process finished the same build first.
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  }
}

async function removeOldBuilds(builds: NamedBuilds): Promise<void> {
  const { dist } = builds;
  const drafts = (await readdir(dist)).filter((name) => name.startsWith("."));
  const abandoned: string[] = [];
  for (const draft of drafts.map((name) => path.join(dist, name))) {
    // Another build may have renamed the draft meanwhile.
    const found = await stat(draft).catch(() => null);
    if (found && Date.now() - found.mtimeMs > BUILD_MS_MAX) abandoned.push(draft);
  }
  for (const folder of [...builds.folders().slice(BUILDS_KEPT), ...abandoned])
    await rm(folder, { recursive: true, force: true });
}
