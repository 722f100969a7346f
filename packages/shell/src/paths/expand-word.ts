import { readFile } from "node:fs/promises";
import type { Word } from "../parse/word.ts";
import type { FileSnapshot } from "./file-snapshot.ts";
import { isGarbled } from "./folder-entries.ts";
import { shellGlobMatcher } from "./glob.ts";

/** The paths that a word becomes, as written; null when nobody can say. */
export async function expandWord(
  word: Word,
  folder: string,
  home: string,
  disk: FileSnapshot,
): Promise<string[] | null> {
  if (word.isFolder === "bare" && /[\s*?[\\]/.test(folder)) return null;
  const text = word.isTilde ? await expandTilde(word.text, folder, home) : word.text;
  if (text === null || word.known === "open") return null;
  // A shell without `~+` takes it for a name.
  if (word.known === "fixed")
    return word.isTilde && word.text.startsWith("~+") ? [text, word.text] : [text];
  if (!(await areLoopNamesPlain(word, folder, disk))) return null;
  const found = await expandGlob(text, folder, disk);
  if (found === null) return null;
  // Names with spaces become several words, and names with a dash in front become options.
  if (word.splits && isSplit(text, found)) return null;
  if (found.some((name) => name.startsWith("-"))) return null;
  // Without a match, the program receives the pattern itself. More is found here than a shell may find.
  return [...new Set([...found, text])];
}

/** Names that a loop puts into the word must neither become several words nor an option. */
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

/** Whether the shell may make other words of these names, or of the glob itself where none matches. */
function isSplit(glob: string, names: readonly string[]): boolean {
  return /[\s\\]/.test(glob) || names.some((name) => /[\s*?[\\]/.test(name));
}

async function expandTilde(text: string, folder: string, home: string): Promise<string | null> {
  const [, name = "", rest = ""] = /^~([^/]*)(.*)$/su.exec(text) ?? [];
  if (name === "") return home + rest;
  if (name === "+") return folder + rest;
  // `~-` and `~1` name folders that only the shell remembers.
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

/** Names that are looked at, and names that are found, at most. */
const entriesMax = 5_000;
const foundMax = 500;

class NotKnown extends Error {
  override readonly name = "NotKnown";
}

/**
 * The names that a glob may match, as the shell writes them; null when there are too many to look at, or names that a
 * string cannot hold.
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

/** Where a glob is looked for, and how many entries may still be looked at. */
interface Start {
  readonly folder: string;
  readonly disk: FileSnapshot;
  entriesLeft: number;
}

async function step(base: string, part: string, at: Start): Promise<string[]> {
  const put = (name: string) => base + (base === "" || base.endsWith("/") ? "" : "/") + name;
  if (!/[*?[]/.test(part)) return [put(part)];
  // `**` means any depth to some shells.
  if (/^\*{2,}$/.test(part)) return below(base, put, at);
  const matcher = shellGlobMatcher(part);
  const isHidden = part.startsWith(".");
  const names = await namesIn(base, at);
  // Some shells take `.*` for `.` and `..` too.
  const found = [...names, ...(isHidden ? [".", ".."] : [])].filter(
    (name) => matcher.test(name) && (isHidden || !name.startsWith(".")),
  );
  if (found.some(isGarbled)) throw new NotKnown();
  return found.map(put);
}

/** Files and folders of every depth, the folder itself included. */
async function below(base: string, put: (name: string) => string, at: Start): Promise<string[]> {
  const names = (await namesIn(base, at)).filter((name) => !name.startsWith("."));
  if (names.some(isGarbled)) throw new NotKnown();
  const found = [base];
  for (const name of names) {
    const path = put(name);
    found.push(...(await below(path, (next) => `${path}/${next}`, at)));
  }
  if (found.length > foundMax) throw new NotKnown();
  return found;
}

/** The names in a folder that the shell can list. `..` must reach the kernel, which takes it from where a link leads. */
async function namesIn(base: string, at: Start): Promise<string[]> {
  const path = base.startsWith("/") ? base : `${at.folder}/${base}`;
  const entries = await at.disk.list(path);
  at.entriesLeft -= entries?.length ?? 0;
  if (entries === null || at.entriesLeft < 0) throw new NotKnown();
  return entries.map(({ name }) => name);
}
