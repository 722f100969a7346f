import type { Recorder } from "../arguments/recorder.ts";
import { fixedWord, type Word } from "../parse/word.ts";

/** How a program interprets a URL. */
interface UrlReading {
  /** Whether `{a,b}` and `[1-9]` expand to several URLs. */
  readonly globs?: boolean;
  /** The use of the file of a `file:` URL. */
  readonly file?: "read" | "write";
}

const address = /^([a-z][a-z\d+.-]*):\/{1,3}(.*)$/is;

/** Records the host of a URL, or the file of a `file:` URL. A URL without a scheme is an HTTP URL. */
export function recordUrl(
  word: Word,
  record: Recorder,
  { globs = false, file = "read" }: UrlReading = {},
): void {
  const { text } = word;
  if (word.known === "open" || (word.known === "names" && /^[*?[]/.test(text)))
    return record.fail(`the address ${text} is not known before it runs`);
  if (/^file:/i.test(text)) {
    if (globs && /[{}[\]]/.test(text)) record.fail(`${text} stands for several files`);
    return recordFile(word, record, file);
  }
  const [, scheme = "http", place = text] = address.exec(text) ?? [];
  const [authority = ""] = /^[^/?#]*/.exec(place) ?? [];
  const host = authority.replace(/^[^@]*@/, "");
  if (globs && /[{}[\]]/.test(place.replace(/^\[[\da-f:.%]+\]/i, "")))
    record.fail(`${text} stands for several addresses`);
  // Programs disagree on the host of such a URL.
  if (/[\\\s]/.test(authority) || host.includes("@") || host === "")
    return record.fail(`the host of ${text} can be read in two ways`);
  const isKnown = word.known === "fixed" || !/[*?[]/.test(authority);
  const url = `${scheme}://${place}`;
  record.host(isKnown ? fixedWord(url) : { ...word, text: url });
}

function recordFile(word: Word, record: Recorder, use: "read" | "write"): void {
  const path = word.text.replace(/^file:(?:\/\/[^/]*)?/i, "").replace(/[?#].*$/s, "");
  try {
    record.path({ ...word, text: decodeURIComponent(path), isTilde: false }, use);
  } catch {
    record.fail(`the file of ${word.text} is not known`);
  }
}

/** The file name of a download: the last segment of the path. Null if there is none. */
export function fileNameIn(text: string): string | null {
  const path = text.replace(/^[a-z][a-z\d+.-]*:\/*/i, "").replace(/[?#].*$/s, "");
  return /\/([^/]+)$/.exec(path)?.[1] ?? null;
}
