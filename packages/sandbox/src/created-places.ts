import { randomBytes } from "node:crypto";
import { lstat, readlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { isWithin, protectedPlaces, realPath } from "@landline/shell";
import { isInNodeModules, pathFolders } from "@landline/system/find-command";
import { foldersBetween, isBelow } from "./guarded-files.ts";
import { OpenedFolder } from "./opened-folder.ts";

/** A protected place that a confined program created. The gateway renamed it, so that no program uses it. */
export interface CreatedPlace {
  readonly path: string;
  /** The renamed path: the place itself, or a new link in its path. */
  readonly renamed: string;
  /** Its name until a person answers. Null: it could not be renamed. */
  readonly aside: string | null;
}

/** Created places that wait for a person's answer. */
export interface SetAside {
  readonly places: readonly CreatedPlace[];
  /** Gives the places their names back, after a person allowed them. Replaces files that were created there since. */
  restore(): Promise<void>;
  /** Deletes the places, after a person rejected them. */
  remove(): Promise<void>;
}

/** All watches of this process, so that an allowed place is recorded in each. */
const watches = new Set<PlaceWatch>();

/**
 * Finds protected places that confined programs create. A sandbox cannot prevent that, because only an existing path
 * can be covered by a mount. It watches places at the top of the writable folders, and PATH folders in them.
 */
export class PlaceWatch implements Disposable {
  readonly #roots: readonly string[];
  readonly #missing: Set<string>;
  /** Links in the paths of the places, with their targets. */
  readonly #links: ReadonlyMap<string, string>;

  private constructor(
    roots: readonly string[],
    missing: Set<string>,
    links: ReadonlyMap<string, string>,
  ) {
    this.#roots = roots;
    this.#missing = missing;
    this.#links = links;
    watches.add(this);
  }

  /** Call it before the program starts. Paths are absolute. */
  static async start(
    roots: readonly string[],
    environment: NodeJS.ProcessEnv,
  ): Promise<PlaceWatch> {
    const onPath = pathFolders(environment).filter(
      (folder) => !isInNodeModules(folder) && roots.some((root) => isWithin(root, folder)),
    );
    const all = [...new Set([...roots.flatMap((root) => protectedPlaces(root)), ...onPath])];
    const missing = await filtered(all, async (path) => !(await isThere(path)));
    const folders = new Set(missing.flatMap((path) => foldersBetween(roots, path)));
    const links = await Promise.all(
      Array.from(folders, async (path) => [path, await targetOf(path)] as const),
    );
    const known = links.flatMap(([path, target]) => (target === null ? [] : [[path, target]]));
    return new PlaceWatch(roots, new Set(missing), new Map(known as [string, string][]));
  }

  /** Renames the places that were created since the last call. Null: there are none. */
  async setAside(): Promise<SetAside | null> {
    const found = await filtered([...this.#missing], isThere);
    const created = found.filter((path) => !found.some((other) => isBelow(other, path)));
    if (created.length === 0) return null;
    const real = await Promise.all(this.#roots.map((root) => realPath(root)));
    const suffix = `.landline-set-aside-${randomBytes(4).toString("hex")}`;
    const places: CreatedPlace[] = [];
    for (const path of created) {
      const renamed = await this.#made(path);
      // A new link that was already renamed for another place.
      if (places.some((place) => place.renamed === renamed && place.aside !== null)) continue;
      const result = await rename(renamed, suffix, real);
      if (result === "not-ours") continue;
      const aside = result === "renamed" ? `${renamed}${suffix}` : null;
      places.push({ path, renamed, aside });
    }
    if (places.length === 0) return null;
    return {
      places,
      restore: async () => {
        for (const { renamed, aside } of places)
          if (aside !== null) await moveBack(renamed, basename(aside), real);
        for (const watch of watches) await watch.#allow(places);
      },
      remove: async () => {
        for (const { renamed, aside } of places) await remove(aside ?? renamed, real);
      },
    };
  }

  [Symbol.dispose](): void {
    watches.delete(this);
  }

  async #allow(places: readonly CreatedPlace[]): Promise<void> {
    const below = [...this.#missing].filter((path) =>
      places.some(({ renamed }) => isWithin(renamed, path)),
    );
    for (const path of await filtered(below, isThere)) this.#missing.delete(path);
  }

  /** The place, or the first new link in its path. */
  async #made(path: string): Promise<string> {
    for (const folder of foldersBetween(this.#roots, path).toReversed()) {
      const target = await targetOf(folder);
      if (target !== null && target !== this.#links.get(folder)) return folder;
    }
    return path;
  }
}

/** `not-ours`: it no longer exists, or is outside the folders that the program may change. */
async function rename(
  path: string,
  suffix: string,
  roots: readonly string[],
): Promise<"renamed" | "not-ours" | "failed"> {
  try {
    await using folder = await OpenedFolder.open(dirname(path));
    if (!isInside(roots, folder.real)) return "not-ours";
    await folder.rename(basename(path), basename(path) + suffix);
    return "renamed";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "not-ours" : "failed";
  }
}

async function moveBack(path: string, aside: string, roots: readonly string[]): Promise<void> {
  await using folder = await openInside(dirname(path), roots);
  await folder.remove(basename(path));
  await folder.rename(aside, basename(path));
}

async function remove(path: string, roots: readonly string[]): Promise<void> {
  await using folder = await openInside(dirname(path), roots);
  await folder.remove(basename(path));
}

async function openInside(path: string, roots: readonly string[]): Promise<OpenedFolder> {
  const folder = await OpenedFolder.open(path);
  if (isInside(roots, folder.real)) return folder;
  await folder[Symbol.asyncDispose]();
  throw new Error(`${path} is outside the folders of the session.`);
}

function isInside(roots: readonly string[], path: string): boolean {
  return roots.some((root) => isWithin(root, path));
}

async function filtered(
  paths: readonly string[],
  fits: (path: string) => Promise<boolean>,
): Promise<string[]> {
  const found = await Promise.all(paths.map(fits));
  return paths.filter((_, index) => found[index]);
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function targetOf(path: string): Promise<string | null> {
  return readlink(path).catch(() => null);
}
