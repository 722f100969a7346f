import { credentialsIn } from "../protected-paths.ts";

/** The relevant tracked files. Paths are relative to the working tree. */
export interface TrackedFiles {
  readonly credentials: readonly string[];
  /** Folders with their own repository. */
  readonly submodules: readonly string[];
}

const headerBytes = 12;
/** Times, device, inode, mode, owner and size of a file. */
const statBytes = 40;
const modeAt = 24;
const submoduleMode = 0o160_000;
const folderMode = 0o040_000;

/** Parses `.git/index`. Null if it is invalid or does not contain every tracked file. */
export function parseGitIndex(data: Buffer, hashBytes: number): TrackedFiles | null {
  if (data.length < headerBytes || data.toString("latin1", 0, 4) !== "DIRC") return null;
  const version = data.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  const entries = data.readUInt32BE(8);
  const isCredential = credentialTest();
  const credentials: string[] = [];
  const submodules: string[] = [];
  let at = headerBytes;
  // In version 4, a name shares a prefix with the previous one.
  let name = Buffer.alloc(0);
  for (let read = 0; read < entries; read += 1) {
    const start = at;
    at += statBytes + hashBytes;
    if (at + 2 > data.length) return null;
    const mode = data.readUInt32BE(start + modeAt);
    const isExtended = version >= 3 && (data.readUInt16BE(at) & 0x4000) !== 0;
    at += isExtended ? 4 : 2;
    const { value: cut, next } = version === 4 ? readOffset(data, at) : { value: 0, next: at };
    const end = data.indexOf(0, next);
    if (cut > name.length || end === -1) return null;
    if (version === 4)
      name = Buffer.concat([name.subarray(0, name.length - cut), data.subarray(next, end)]);
    const path = version === 4 ? name.toString("utf8") : data.toString("utf8", next, end);
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
    // An entry for a folder represents all files below it.
    if ((mode & 0o170_000) === folderMode) return null;
    if ((mode & 0o170_000) === submoduleMode) submodules.push(path);
    else if (isCredential(path)) credentials.push(path);
  }
  return hasExtension(data, at, data.length - hashBytes, "link")
    ? null
    : { credentials, submodules };
}

/** git's variable-length number, in which each continuation byte adds one. */
function readOffset(data: Buffer, at: number): { value: number; next: number } {
  let next = at;
  let byte = data[next] ?? 0;
  let value = byte & 127;
  while (byte & 128) {
    next += 1;
    byte = data[next] ?? 0;
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, next: next + 1 };
}

/** `link` means that another file contains most of the names. */
function hasExtension(data: Buffer, from: number, end: number, name: string): boolean {
  for (let at = from; at + 8 <= end; at += 8 + data.readUInt32BE(at + 4))
    if (data.toString("latin1", at, at + 4) === name) return true;
  return false;
}

/** The list is sorted, so the test for a folder is reused for consecutive files. */
function credentialTest(): (path: string) => boolean {
  let folder = "";
  let isCredential = credentialsIn("/");
  return (path) => {
    const slash = path.lastIndexOf("/");
    const next = path.slice(0, Math.max(slash, 0));
    if (next !== folder) isCredential = credentialsIn(`/${next}`);
    folder = next;
    return isCredential(path.slice(slash + 1));
  };
}
