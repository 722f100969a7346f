import { readFile } from "node:fs/promises";
import type { Word } from "../parse/word.ts";
import type { FileSnapshot } from "./file-snapshot.ts";
import { isInvalidUtf8 } from "./folder-entries.ts";
import { shellGlobMatcher } from "./glob.ts";

/** The paths that a word may become, as the program receives them; null if they are not known. */
export async function expandWord(
  word: Word,
  folder: string,
  home: string,
  disk: FileSnapshot,
): Promise<string[] | null> {
  if (word.isFolder === "bare" && /[\s*?[\\]/.test(folder)) return null;
  const text = word.isTilde ? await expandTilde(word.text, folder, home) : word.text;
  if (text === null || word.known === "open") return null;
  // In a shell without `~+`, it is a file name.
  if (word.known === "fixed")
    return word.isTilde && word.text.startsWith("~+") ? [text, word.text] : [text];
  if (!(await areLoopNamesPlain(word, folder, disk))) return null;
  const found = await expandGlob(text, folder, disk);
  if (found === null) return null;
  // Names with spaces may become several words, and names that begin with a dash become options.
  if (word.splits && isSplit(text, found)) return null;
  if (found.some((name) => name.startsWith("-"))) return null;
  // Without a match, the program receives the pattern itself. This may find more names than the shell.
  return [...new Set([...found, text])];
}

/** Names from a loop must not split into several words or become options. */
async function areLoopNamesPlain(
  { loopGlobs = [], splits }: Word,
  folder: string,
  disk: FileSnapshot,
): Promise<boolean> {
  for (const glob of loopGlobs) {
    const names = await expandGlob(glob, folder, disk);
    if (names === null || names.some((name) => name.startsWith("-"))) return false;
    if (splits && isSplit(glob, names)) return false;
  }
  return true;
}

/** Whether the shell may split these names, or the glob itself if nothing matches. */
function isSplit(glob: string, names: readonly string[]): boolean {
  return /[\s\\]/.test(glob) || names.some((name) => /[\s*?[\\]/.test(name));
}

async function expandTilde(text: string, folder: string, home: string): Promise<string | null> {
  const [, name = "", rest = ""] = /^~([^/]*)(.*)$/su.exec(text) ?? [];
  if (name === "") return home + rest;
  if (name === "+") return folder + rest;
  // `~-` and `~1` name folders that only the shell knows.
  if (/^[-+]?\d*$/.test(name)) return null;
  const place = (await homes()).get(name);
  return place === undefined ? null : place + rest;
}

let readingHomes: Promise<ReadonlyMap<string, string>> | null = null;

function homes(): Promise<ReadonlyMap<string, string>> {
  readingHomes ??= readFile("/etc/passwd", "utf8").then(
    (text) =>
      new Map(
        text.split("\n").flatMap((line) => {
          const fields = line.split(":");
          return fields.length >= 6 ? [[fields[0] ?? "", fields[5] ?? ""] as const] : [];
        }),
      ),
    () => {
      readingHomes = null;
      return new Map<string, string>();
    },
  );
  return readingHomes;
}

/** The maximum numbers of checked and of found names. */
const entriesMax = 5_000;
const foundMax = 500;

class NotKnown extends Error {
  override readonly name = "NotKnown";
}

/**
 * The names that a glob may match, as the shell writes them; null if there are too many, or names that are not valid
 * UTF-8.
 */
async function expandGlob(
  pattern: string,
  folder: string,
  disk: FileSnapshot,
): Promise<string[] | null> {
  const at: Start = { folder, disk, entriesLeft: entriesMax };
  const parts = pattern.split("/");
  try {
    let found = [parts[0] === "" ? "/" : ""];
    for (const part of parts.filter((name, index) => name !== "" || index === parts.length - 1)) {
      if (part === "") continue;
      const next: string[] = [];
      for (const base of found) next.push(...(await step(base, part, at)));
      if (next.length > foundMax) return null;
      found = next;
    }
    return found;
  } catch (error) {
    if (error instanceof NotKnown) return null;
    throw error;
  }
}

/** Where a glob is expanded, and how many more entries may be checked. */
interface Start {
  readonly folder: string;
  readonly disk: FileSnapshot;
  entriesLeft: number;
}

async function step(base: string, part: string, at: Start): Promise<string[]> {
  const put = (name: string) => base + (base === "" || base.endsWith("/") ? "" : "/") + name;
  if (!/[*?[]/.test(part)) return [put(part)];
  // In some shells, `**` matches at any depth.
  if (/^\*{2,}$/.test(part)) return below(base, put, at);
  const matcher = shellGlobMatcher(part);
  const isHidden = part.startsWith(".");
  const names = await namesIn(base, at);
  // In some shells, `.*` also matches `.` and `..`.
  const found = [...names, ...(isHidden ? [".", ".."] : [])].filter(
    (name) => matcher.test(name) && (isHidden || !name.startsWith(".")),
  );
  if (found.some(isInvalidUtf8)) throw new NotKnown();
  return found.map(put);
}

/** Files and folders at every depth, including the folder itself. */
async function below(base: string, put: (name: string) => string, at: Start): Promise<string[]> {
  const names = (await namesIn(base, at)).filter((name) => !name.startsWith("."));
  if (names.some(isInvalidUtf8)) throw new NotKnown();
  const found = [base];
  for (const name of names) {
    const path = put(name);
    found.push(...(await below(path, (next) => `${path}/${next}`, at)));
  }
  if (found.length > foundMax) throw new NotKnown();
  return found;
}

/** The names in a folder. `..` is resolved by the kernel, relative to the target of a link. */
async function namesIn(base: string, at: Start): Promise<string[]> {
  const path = base.startsWith("/") ? base : `${at.folder}/${base}`;
  const entries = await at.disk.list(path);
  at.entriesLeft -= entries?.length ?? 0;
  if (entries === null || at.entriesLeft < 0) throw new NotKnown();
  return entries.map(({ name }) => name);
}
