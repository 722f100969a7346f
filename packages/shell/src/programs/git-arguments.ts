import type { SearchScope } from "../line-facts.ts";
import { readCommand } from "../arguments/read-command.ts";
import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";
import { protectionOf } from "../protected-paths.ts";

/**
 * What a git command does with the files that its words name. `names`: contents are not shown. `read`: each word is a
 * file. `changes`: contents of tracked files, of all where no path is given. `below`: the same, of the folder that it runs
 * in. `untracked`: contents of all files but ignored ones. `everything`: of all files.
 */
export type Shows = "names" | "read" | "changes" | "below" | "untracked" | "everything";

export interface GitReader {
  readonly options: string;
  readonly effects?: string;
  readonly shows?: Shows | ((parsed: ParsedArguments) => Shows);
  /** Words in front of revisions and paths, such as the pattern of grep. */
  readonly skip?: (parsed: ParsedArguments) => number;
  /** Words may not follow: the command would do something else. */
  readonly operandsMax?: (parsed: ParsedArguments) => number;
  readonly check?: (parsed: ParsedArguments, record: Recorder) => void;
}

/** A git command that takes revisions, then paths, which may stand behind `--`. */
export function reader(given: GitReader): ProgramSpec {
  return {
    options: given.options,
    ...(given.effects !== undefined && { effects: given.effects }),
    read(words, record) {
      const { before, after } = splitAtEnd(words);
      const check = (parsed: ParsedArguments) => take(given, parsed, after, record);
      readCommand({ options: given.options, operands: "text*", check }, before, record);
    },
  };
}

/** The words in front of `--` and behind it. */
function splitAtEnd(words: readonly Word[]): {
  before: readonly Word[];
  after: readonly Word[];
} {
  const end = words.findIndex(({ text, known }) => text === "--" && known === "fixed");
  if (end === -1) return { before: words, after: [] };
  return { before: words.slice(0, end), after: words.slice(end + 1) };
}

function take(
  given: GitReader,
  parsed: ParsedArguments,
  behind: readonly Word[],
  record: Recorder,
): void {
  const { shows = "names", skip, operandsMax, check } = given;
  const shown = typeof shows === "function" ? shows(parsed) : shows;
  const skipped = skip?.(parsed) ?? 0;
  const missing = skipped - parsed.operands.length;
  // In `git grep -- pattern HEAD -- path`, only the second sign ends the revisions.
  const { before: words, after } =
    missing > 0
      ? splitAtEnd(behind.slice(missing))
      : { before: parsed.operands.slice(skipped), after: behind };
  const extra = operandsMax ? words[operandsMax(parsed)] : undefined;
  if (extra) record.fail(`what it does with ${extra.text} is not known`);
  for (const word of words) takeRevision(word, shown, record);
  for (const word of after) takePathspec(word, shown, record);
  // Words in front of `--` may be revisions, which say nothing about paths.
  const scope = after.every(isExclusion) ? scopeOf(shown) : undefined;
  if (scope) record.impliedPath(".", "search", scope);
  check?.(parsed, record);
}

const everything: SearchScope = {
  hidden: true,
  ignored: true,
  links: false,
  excludes: [],
  includes: [],
};

const scopes: Readonly<Partial<Record<Shows, SearchScope>>> = {
  changes: { ...everything, tracked: "all" },
  below: { ...everything, tracked: "below" },
  untracked: { ...everything, ignored: false },
  everything,
};

const scopeOf = (shown: Shows): SearchScope | undefined => scopes[shown];

/** `HEAD~2`, `main..topic`, `HEAD:file`, `:file`, or a path. */
export function takeRevision(word: Word, shown: Shows, record: Recorder): void {
  if (word.text.startsWith(":") && !/^:\d:/.test(word.text)) {
    // `:/` searches in commit messages, or is a path from the top.
    takePathspec(word, shown, record);
    if (!/^:[/(!^]/.test(word.text)) takeFile(word.text.slice(1), shown, record);
    return;
  }
  takePath(word, shown, record);
  for (const { index } of word.text.matchAll(/:/g))
    takeFile(word.text.slice(index + 1), shown, record);
}

/** The part of `HEAD:file` that names a file of that revision, from the top of the repository unless a dot is in front. */
export function takeFile(text: string, shown: Shows, record: Recorder): void {
  for (const path of new Set([text, text.replace(/\.\.\.?[^./].*$/su, "")]))
    if (path !== "") record.path(fixedWord(path), shown === "names" ? "name" : "read");
  if (shown !== "names" && !/^\.\.?(?:\/|$)/.test(text))
    record.impliedPath(".", "search", { ...everything, tracked: "all", namesOnly: true });
}

/** A path or a pattern for paths, with or without a sign in front: `:!dist`, `:(top)src`. */
export function takePathspec(word: Word, shown: Shows, record: Recorder): void {
  const [sign = ""] = /^:(?:\([^)]*\)|[/!^]+:?)/u.exec(word.text) ?? [];
  if (sign === "") return takePath(word, shown, record);
  if (word.known !== "fixed") return record.path(word, "name");
  // It leaves files out, and so adds none.
  if (isExclusion(word)) return;
  const path = word.text.slice(sign.length);
  if (protectionOf(path) !== null)
    record.path(fixedWord(path), shown === "names" ? "name" : "read");
  // Where the top is and what attributes say is known to git alone.
  if (shown === "names") record.impliedPath(".", "name");
  else record.impliedPath(".", "search", scopeOf("changes"));
}

const isExclusion = ({ text }: Word): boolean =>
  /^:(?:[/]*[!^]|\((?:[^)]*,)?exclude[,)])/u.test(text);

function takePath(word: Word, shown: Shows, record: Recorder): void {
  if (shown === "names" || shown === "read") record.path(word, shown === "read" ? "read" : "name");
  else record.path(word, "search", scopeOf(shown === "changes" ? "below" : shown));
}

/** The address of a repository: a URL, `host:path`, a path, or the name of a remote. */
export function takeRepository(word: Word, record: Recorder): void {
  record.effect("network");
  const { text } = word;
  if (word.known !== "fixed")
    return record.fail(`the repository ${text} is not known before it runs`);
  // `ext::` runs a command, and other helpers are programs too.
  if (/^[^/:]*::/.test(text)) {
    record.effect("execute");
    return record.deviate(`${text} runs a program`);
  }
  if (/^file:/i.test(text))
    return record.path(fixedWord(text.replace(/^file:\/*(?=\/|$)/i, "")), "read");
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return takeHost(word, record);
  if (/^[^/]*:/.test(text)) return takeHost(word, record);
  // Any other word is a folder, where no remote has its name.
  if (usualRemotes.has(text)) return;
  record.path(word, "read");
  record.deviate(`it uses the repository ${text}`);
}

/** Names of remotes that a rule for the form may let through. */
const usualRemotes = new Set(["origin", "upstream"]);

/** ssh takes a host that begins with a dash for an option. */
function takeHost(word: Word, record: Recorder): void {
  if (/^(?:[^/@]*:\/\/)?(?:[^/@]*@)?-/.test(word.text)) record.fail(`${word.text} is no host`);
  record.host(word);
  record.deviate(`it uses the repository ${word.text}`);
}
