import { createHash } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { extname, join, posix, sep } from "node:path";

/** A file of the page, uncompressed or compressed by the build. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly encoding: Encoding | null;
  readonly etag: string;
  /** Whether its name contains a hash of its content, which therefore never changes. */
  readonly isFixed: boolean;
}

export type Encoding = "br" | "gzip";

const endings: Readonly<Record<Encoding, string>> = { br: ".br", gzip: ".gz" };

/**
 * The files of the page. Each is read on first use and cached within `mostBytes`, since builds never change. Only the
 * canonical name of a file works, so that aliases with `//` or `..` cannot fill the cache. `assets` of older builds are
 * served too, for pages that were opened before an update.
 */
export class PageFiles {
  readonly #folders: readonly string[];
  readonly #mostBytes: number;
  readonly #kept = new Map<string, Promise<PageFile | null>>();
  #keptBytes = 0;

  constructor(folders: readonly string[], mostBytes: number) {
    this.#folders = folders;
    this.#mostBytes = mostBytes;
  }

  /** Returns the file at an address in the first accepted encoding that exists, or null. */
  async find(address: string, accepted: readonly Encoding[]): Promise<PageFile | null> {
    const name = nameAt(address);
    if (name === null) return null;
    const key = `${accepted.join()} ${name}`;
    const known = this.#kept.get(key);
    if (known) return known;
    const reading = this.#read(name, accepted).then((file) => {
      const bytes = file?.bytes.length ?? 0;
      // Unknown addresses are unlimited in number, so they are not cached.
      if (file === null || this.#keptBytes + bytes > this.#mostBytes) this.#kept.delete(key);
      else this.#keptBytes += bytes;
      return file;
    });
    this.#kept.set(key, reading);
    return reading;
  }

  async #read(name: string, accepted: readonly Encoding[]): Promise<PageFile | null> {
    const isAsset = name.startsWith("/assets/");
    for (const folder of isAsset ? this.#folders : this.#folders.slice(0, 1)) {
      for (const encoding of [...accepted, null]) {
        const file = await readPageFile(folder, name, encoding);
        if (file) return file;
      }
    }
    return null;
  }
}

/** The canonical file name of an address; null when it has none. */
function nameAt(address: string): string | null {
  try {
    const name = decodeURIComponent(address);
    return name === posix.normalize(name) && !/[\0\\]/.test(name) ? name : null;
  } catch {
    return null;
  }
}

/** Reads a file inside the folder after resolving links; null for anything else. */
async function readPageFile(
  folder: string,
  name: string,
  encoding: Encoding | null,
): Promise<PageFile | null> {
  try {
    const root = await realpath(folder);
    const ending = encoding === null ? "" : endings[encoding];
    const path = await realpath(join(root, name + ending));
    if (!path.startsWith(root + sep)) return null;
    const bytes = await readFile(path);
    const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
    return {
      type: types[extname(name)] ?? "application/octet-stream",
      bytes,
      encoding,
      // Each encoding has its own ETag.
      etag: `"${hash}"`,
      // The build puts a hash into the names of files in assets.
      isFixed: /^\/assets\/.+[.-][\w-]{8,}\./.test(name),
    };
  } catch {
    // A missing or unreadable file and a folder are all not found.
    return null;
  }
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
  ".txt": "text/plain; charset=utf-8",
};

/** The accepted encodings, best first, without those with weight 0. */
export function acceptedEncodings(header: string | undefined): readonly Encoding[] {
  const weights = new Map(
    (header ?? "").split(",").map((part): [string, boolean] => {
      const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
      return [name, !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))];
    }),
  );
  const takes = (name: Encoding) => weights.get(name) ?? weights.get("*") ?? false;
  return (["br", "gzip"] as const).filter(takes);
}
