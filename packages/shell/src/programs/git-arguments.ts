import type { SearchScope } from "../line-facts.ts";
import { readCommand } from "../arguments/read-command.ts";
import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";
import { protectionOf } from "../protected-paths.ts";

/**
 * What a git command shows of the files that its words name. `names`: no contents. `read`: each word is a file.
 * `changes`: contents of tracked files, of all without a path. `below`: the same in the current folder. `untracked`:
 * contents of all files except ignored ones. `everything`: contents of all files.
 */
export type Shows = "names" | "read" | "changes" | "below" | "untracked" | "everything";

export interface GitReader {
  readonly options: string;
  readonly effects?: string;
  readonly shows?: Shows | ((parsed: ParsedArguments) => Shows);
  /** The number of words before revisions and paths, such as the pattern of grep. */
  readonly skip?: (parsed: ParsedArguments) => number;
  /** No other words are allowed, because the command would do something else. */
  readonly operandsMax?: (parsed: ParsedArguments) => number;
  readonly check?: (parsed: ParsedArguments, record: Recorder) => void;
}

/** A git command that takes revisions, then paths, optionally after `--`. */
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

/** The words before and after `--`. */
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
  // In `git grep -- pattern HEAD -- path`, only the second `--` ends the revisions.
  const { before: words, after } =
    missing > 0
      ? splitAtEnd(behind.slice(missing))
      : { before: parsed.operands.slice(skipped), after: behind };
  const extra = operandsMax ? words[operandsMax(parsed)] : undefined;
  if (extra) record.fail(`what it does with ${extra.text} is not known`);
  for (const word of words) takeRevision(word, shown, record);
  for (const word of after) takePathspec(word, shown, record);
  // Words before `--` may be revisions, which do not restrict the paths.
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
    // `:/` searches commit messages, or is a path from the top.
    takePathspec(word, shown, record);
    if (!/^:[/(!^]/.test(word.text)) takeFile(word.text.slice(1), shown, record);
    return;
  }
  takePath(word, shown, record);
  for (const { index } of word.text.matchAll(/:/g))
    takeFile(word.text.slice(index + 1), shown, record);
}

/** The file in `HEAD:file`, relative to the top of the repository unless it begins with a dot. */
export function takeFile(text: string, shown: Shows, record: Recorder): void {
  for (const path of new Set([text, text.replace(/\.\.\.?[^./].*$/su, "")]))
    if (path !== "") record.path(fixedWord(path), shown === "names" ? "name" : "read");
  if (shown !== "names" && !/^\.\.?(?:\/|$)/.test(text))
    record.impliedPath(".", "search", { ...everything, tracked: "all", namesOnly: true });
}

/** A pathspec, with or without magic: `:!dist`, `:(top)src`. */
export function takePathspec(word: Word, shown: Shows, record: Recorder): void {
  const [sign = ""] = /^:(?:\([^)]*\)|[/!^]+:?)/u.exec(word.text) ?? [];
  if (sign === "") return takePath(word, shown, record);
  if (word.known !== "fixed") return record.path(word, "name");
  // An exclusion adds no files.
  if (isExclusion(word)) return;
  const path = word.text.slice(sign.length);
  if (protectionOf(path) !== null)
    record.path(fixedWord(path), shown === "names" ? "name" : "read");
  // Only git knows the top of the repository and the attributes.
  if (shown === "names") record.impliedPath(".", "name");
  else record.impliedPath(".", "search", scopeOf("changes"));
}

const isExclusion = ({ text }: Word): boolean =>
  /^:(?:[/]*[!^]|\((?:[^)]*,)?exclude[,)])/u.test(text);

function takePath(word: Word, shown: Shows, record: Recorder): void {
  if (shown === "names" || shown === "read") record.path(word, shown === "read" ? "read" : "name");
  else record.path(word, "search", scopeOf(shown === "changes" ? "below" : shown));
}

/** A repository: a URL, `host:path`, a path, or the name of a remote. */
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
  // Any other word is a folder, unless a remote has this name.
  if (usualRemotes.has(text)) return;
  record.path(word, "read");
  record.deviate(`it uses the repository ${text}`);
}

/** Names of remotes that a rule for the action may allow. */
const usualRemotes = new Set(["origin", "upstream"]);

/** ssh treats a host that begins with a dash as an option. */
function takeHost(word: Word, record: Recorder): void {
  if (/^(?:[^/@]*:\/\/)?(?:[^/@]*@)?-/.test(word.text))
    record.fail(`${word.text} is not a valid host`);
  record.host(word);
  record.deviate(`it uses the repository ${word.text}`);
}
