import { homedir } from "node:os";
import type { Word } from "./bash-word.ts";

/** A file or folder that a line names. */
export interface SeenPath {
  /** As it is written, with the home put in; relative to where the line is by then. */
  path: string;
  /** True when the command takes it for a path; otherwise it only looks like one. */
  isSure: boolean;
  /** The line goes there, so what is relative may be meant from there. */
  isEntered: boolean;
}

/** Commands whose words, but for options, are all files. */
const fileCommands = new Set(
  [
    "cd pushd ls dir cat tac head tail less more nl wc sort uniq cut tee cp mv rm rmdir mkdir touch ln",
    "unlink chmod chown chgrp stat file du df tree find diff cmp comm tar gzip gunzip zcat bzip2 xz zip unzip",
    "rsync scp install truncate shred split readlink realpath md5sum sha1sum sha256sum od xxd hexdump strings",
    "source . bash sh zsh dash vi vim nano ed open",
  ]
    .join(" ")
    .split(" "),
);

const entering = new Set(["cd", "pushd"]);

export function pathsOf(words: readonly Word[]): SeenPath[] {
  const name = words[0]?.text ?? "";
  if (name === "cd" && words.length === 1) {
    return [{ path: homedir(), isSure: true, isEntered: true }];
  }
  const isSure = fileCommands.has(name);
  const isEntered = entering.has(name);
  const own = words[0]?.text.includes("/") ? namedBy(words[0], false, false) : [];
  return [...own, ...words.slice(1).flatMap((word) => namedBy(word, isSure, isEntered))];
}

/** The path of a redirection. */
export function targetPath(word: Word): SeenPath[] {
  return namedBy(word, true, false);
}

function namedBy(word: Word, isSure: boolean, isEntered: boolean): SeenPath[] {
  const text = operandOf(word);
  if (text === null || text === "" || text === "-" || /^[a-z][a-z\d+.-]*:\/\//i.test(text))
    return [];
  const path = word.known === "fixed" ? text : knownFolder(text);
  if (path === null) return [];
  const home = word.isHome && text === word.text;
  const whole = home ? path.replace(/^~(?=\/|$)/, () => homedir()) : path;
  // Elsewhere only what leads out of where it stands is worth a look.
  const leadsOut = /^(?:\/|~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/.test(whole);
  return isSure || leadsOut ? [{ path: whole, isSure, isEntered }] : [];
}

/** The value of `--option=value` and `-Ovalue`, `name=value`, or the word itself; null for an option without one. */
function operandOf({ text }: Word): string | null {
  const valued = /^(?:--?)?[\w-]+=(.*)$/su.exec(text);
  if (valued) return valued[1] ?? null;
  if (!text.startsWith("-") || text === "-") return text;
  return /^-[A-Za-z]+((?:[/~]|\.\.).*)$/su.exec(text)?.[1] ?? null;
}

/** The folder before the first part that only the shell knows. */
function knownFolder(text: string): string | null {
  const fixed = /^[^*?[{$`]*\//u.exec(text)?.[0];
  return fixed === undefined ? null : fixed.replace(/(.)\/$/u, "$1");
}
