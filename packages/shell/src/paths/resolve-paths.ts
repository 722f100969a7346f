import { access, constants } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import type { LineFacts, PathUse, SearchScope, Use } from "../line-facts.ts";
import { repositoryTop } from "../git/repository-risk.ts";
import type { Word } from "../parse/word.ts";
import { protectionReason } from "../protected-paths.ts";
import { expandWord } from "./expand-word.ts";
import type { FileSnapshot } from "./file-snapshot.ts";

/** A path that a line uses. */
export interface ResolvedUse {
  readonly use: Use;
  /** Absolute, as written. */
  readonly named: string;
  /** With links followed. */
  readonly real: string;
  readonly search?: SearchScope;
}

export interface UnresolvedUse {
  readonly message: string;
}

interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly disk: FileSnapshot;
}

/** The maximum number of folders that a line may be in. */
const foldersMax = 16;
const pathsMax = 1_000;

/** Shell variables with numbers: a file or a link may have such a name. */
const number = /\$[?#$!]/;

/** Character devices. */
const devices = /^\/dev\/(?:null|zero|full|random|urandom|std(?:in|out|err)|tty|fd(?:\/\d+)?)$/;

/** Resolves the paths of a line. A relative path is resolved from every folder that the line may be in. */
export async function resolveUses(
  facts: LineFacts,
  place: Place,
): Promise<{ paths: ResolvedUse[]; unresolved: UnresolvedUse[]; folders: string[] }> {
  const uses = [
    ...facts.commands.filter(({ role }) => role === "run").flatMap(({ paths }) => paths),
    ...facts.redirects,
  ];
  const unresolved: UnresolvedUse[] = [];
  const { folders, before } = await foldersOf(facts, uses, place, unresolved);
  const paths = new Map<string, ResolvedUse>();
  const { disk, home } = place;
  await add(place.cwd, ".", { use: "enter" }, paths, disk);
  for (const use of uses) {
    if (use.use !== "may" && number.test(use.word.text)) unresolved.push(notKnown(use));
    for (const folder of before.get(use) ?? folders) {
      // git reads files of the whole repository, whose top may be above the project.
      const isWhole = use.search?.tracked === "all";
      const expanded = isWhole
        ? [await repositoryTop(folder, disk)]
        : await expandWord(use.word, folder, home, disk);
      if (expanded === null || expanded.length + paths.size > pathsMax) {
        if (use.use === "may") break;
        unresolved.push(notKnown(use));
        break;
      }
      for (const text of expanded) {
        // A program may expand the tilde itself.
        const texts = text.startsWith("~/") ? [text, home + text.slice(1)] : [text];
        for (const each of texts) await add(folder, each, use, paths, disk);
      }
    }
  }
  return { paths: [...paths.values()], unresolved, folders };
}

const notKnown = ({ word }: PathUse): UnresolvedUse => ({
  message: `the value of ${word.text} is not known before it runs`,
});

async function add(
  folder: string,
  text: string,
  { use, search }: Omit<PathUse, "word">,
  paths: Map<string, ResolvedUse>,
  disk: FileSnapshot,
): Promise<void> {
  const named = resolve(folder, text);
  if (devices.test(named)) return;
  for (const real of await placesOf(folder, text, disk)) {
    const key = [use, named, real, search && JSON.stringify(search)].join(" ");
    if (paths.has(key) || (use === "may" && !(await isFileName(text, named, real, disk)))) continue;
    paths.set(key, { use, named, real, ...(search && { search }) });
  }
}

/** Whether a word names a file: it exists, its name is protected, or its folder exists. */
async function isFileName(
  text: string,
  named: string,
  real: string,
  disk: FileSnapshot,
): Promise<boolean> {
  if (protectionReason([real, named], "write")) return true;
  const mayBeNew = /^(?:\/|~|\.\.\/)/.test(text);
  return (await disk.exists(real)) || (mayBeNew && disk.exists(dirname(real)));
}

/**
 * The targets of a path: for the kernel, which resolves `..` relative to the target of a link, and for a program that
 * removes `a/..` first.
 */
async function placesOf(
  folder: string,
  text: string,
  disk: FileSnapshot,
): Promise<ReadonlySet<string>> {
  const written = isAbsolute(text) ? text : `${folder}/${text}`;
  const real = await disk.realPath(written);
  if (!/(?:^|\/)\.\.(?:\/|$)/.test(text)) return new Set([real]);
  return new Set([real, await disk.realPath(resolve(folder, text))]);
}

/**
 * The folders that relative paths may refer to: as the shell names them, and with links followed, because programs
 * resolve `..` there.
 */
async function foldersOf(
  facts: LineFacts,
  uses: readonly PathUse[],
  place: Place,
  unresolved: UnresolvedUse[],
): Promise<{ folders: string[]; before: ReadonlyMap<PathUse, readonly string[]> }> {
  const { disk } = place;
  const start = (await certainFolder(facts, place)) ?? place.cwd;
  const folders = new Set([start, await disk.realPath(start)]);
  // Each `cd` depends on the previous ones.
  const before = new Map<PathUse, readonly string[]>();
  for (const each of uses) {
    const { word, use } = each;
    if (use !== "enter") continue;
    before.set(each, [...folders]);
    const entered = await expandFolder(word, start, place);
    if (entered === null)
      unresolved.push({ message: `the folder ${word.text} is not known before it runs` });
    for (const folder of Array.from(folders)) {
      for (const text of entered ?? []) {
        folders.add(resolve(folder, text));
        for (const at of await placesOf(folder, text, disk)) folders.add(at);
      }
    }
    if (folders.size > foldersMax) {
      unresolved.push({ message: "it changes folders too often" });
      break;
    }
  }
  return { folders: [...folders].slice(0, foldersMax), before };
}

/** `cd -` enters a folder that only the shell knows. */
async function expandFolder(
  word: Word,
  folder: string,
  { home, disk }: Place,
): Promise<string[] | null> {
  return word.text === "-" ? null : expandWord(word, folder, home, disk);
}

/** A line that begins with a `cd` into an existing folder starts there; each later `cd` adds a folder. */
async function certainFolder(facts: LineFacts, place: Place): Promise<string | null> {
  const { cwd, disk } = place;
  const [first] = facts.commands;
  if (!facts.startsWithChange || first?.words[0] !== "cd") return null;
  const [path] = first.paths;
  const texts = path ? await expandFolder(path.word, cwd, place) : null;
  if (texts?.length !== 1) return null;
  const folder = resolve(cwd, texts[0] ?? "");
  const isEntered = await access(folder, constants.X_OK).then(
    async () => (await disk.stat(folder))?.isDirectory() === true,
    () => false,
  );
  const places = await placesOf(cwd, texts[0] ?? "", disk);
  return isEntered && places.size === 1 ? folder : null;
}
