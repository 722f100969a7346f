import type { Word } from "./bash-word.ts";

/** What a command is that runs another one. */
export interface Unwrapped {
  /** The command that counts: the inner one where the outer adds nothing. */
  words: Word[];
  /** Other commands that may be run by it. */
  inner: Word[][];
  /** Lines that it gives to a shell. */
  scripts: string[];
  /** False when more may run than is told here. */
  isSeen: boolean;
}

/** Commands that only change how another one runs, with their options that take no word and that take one. */
const transparent: Record<string, { alone: RegExp; valued: RegExp; operands: number }> = {
  time: { alone: /^-p$/, valued: /^$/, operands: 0 },
  nohup: { alone: /^$/, valued: /^$/, operands: 0 },
  setsid: { alone: /^(?:-[cfw]+|--ctty|--fork|--wait)$/, valued: /^$/, operands: 0 },
  nice: { alone: /^(?:-\d+|--adjustment=-?\d+|-n-?\d+)$/, valued: /^-n$/, operands: 0 },
  stdbuf: { alone: /^-[ioe][L0-9]\w*$/, valued: /^-[ioe]$/, operands: 0 },
  timeout: {
    alone: /^(?:-v|--verbose|--foreground|--preserve-status|--signal=\w+|--kill-after=[\w.]+)$/,
    valued: /^-[sk]$/,
    operands: 1,
  },
  command: { alone: /^-p$/, valued: /^$/, operands: 0 },
  builtin: { alone: /^$/, valued: /^$/, operands: 0 },
  exec: { alone: /^$/, valued: /^$/, operands: 0 },
};

const shells = new Set(["bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh"]);

/** These run their arguments, or what those name, in ways that can't be followed. */
const runners = new Set([
  ..."sudo doas su env xargs parallel watch ssh eval trap alias unalias hash enable bind complete".split(
    " ",
  ),
  ..."compgen mapfile readarray coproc script flock chroot unshare nsenter systemd-run strace ltrace".split(
    " ",
  ),
  ..."gdb unbuffer expect at batch busybox toybox fc let run-parts firejail bwrap setarch noglob nocorrect repeat foreach -".split(
    " ",
  ),
]);

/** They evaluate the name of a variable, and with it what is in its brackets. */
const evaluators = new Set(
  "printf test [ read unset declare typeset local export readonly wait getopts set".split(" "),
);

const findRuns = /^-(?:exec|execdir|ok|okdir)$/;

export function unwrap(given: readonly Word[]): Unwrapped {
  let words = [...given];
  for (let next = innerOf(words); next !== null; next = innerOf(words)) words = next;
  const name = words[0]?.text ?? "";
  const seen = { words, inner: [], scripts: [], isSeen: true };
  if (words.length > 1 && Object.hasOwn(transparent, name) && !isLookup(words)) {
    return { ...seen, inner: suffixes(words), isSeen: false };
  }
  if (shells.has(name)) return ofShell(words);
  if (runners.has(name)) return ofRunner(words);
  if (name === "find" && words.some((word) => findRuns.test(word.text))) {
    return { ...seen, inner: foundCommands(words), isSeen: false };
  }
  if (evaluators.has(name) && words.some((word) => /\$\(|`/.test(word.text))) {
    return { ...seen, isSeen: false };
  }
  return seen;
}

/** The words after those of a command that adds nothing; null when this is not one. */
function innerOf(words: readonly Word[]): Word[] | null {
  const name = words[0]?.text ?? "";
  const grammar = Object.hasOwn(transparent, name) ? transparent[name] : undefined;
  if (!grammar || isLookup(words)) return null;
  let at = 1;
  for (let word = words[at]; word?.known === "fixed"; word = words[at]) {
    if (grammar.alone.test(word.text)) at += 1;
    else if (grammar.valued.test(word.text)) at += 2;
    else break;
  }
  const operands = words.slice(at, at + grammar.operands);
  at += grammar.operands;
  const first = words[at];
  // `time` takes an assignment, as no program does.
  if (!first || /^\w+\+?=/.test(first.text)) return null;
  if ([...operands, first].some((word) => word.text.startsWith("-"))) return null;
  return words.slice(0, at).every((word) => word.known === "fixed") ? words.slice(at) : null;
}

/** `command -v x` runs nothing. */
function isLookup(words: readonly Word[]): boolean {
  return words[0]?.text === "command" && /^-[vV]$/.test(words[1]?.text ?? "");
}

function ofShell(words: Word[]): Unwrapped {
  const [, first] = words;
  const isScript = first?.known === "fixed" && !/^[-+]/.test(first.text);
  const others = words.slice(1).filter((word) => !/^[-+]/.test(word.text));
  const scripts = isScript ? [] : others.map((word) => word.text);
  return { words, inner: [], scripts, isSeen: isScript };
}

function ofRunner(words: Word[]): Unwrapped {
  const name = words[0]?.text ?? "";
  // Without a command, it shows the environment.
  if (name === "env" && words.length === 1) return { words, inner: [], scripts: [], isSeen: true };
  const rest = words.slice(1);
  const scripts =
    name === "eval"
      ? [rest.map((word) => word.text).join(" ")]
      : rest.flatMap((word) => (/\s/.test(word.text) ? [word.text] : []));
  return { words, inner: suffixes(words), scripts, isSeen: false };
}

const suffixesMax = 16;

/** Where the options of a runner end is its own matter, so each of these may be what it runs. */
function suffixes(words: readonly Word[]): Word[][] {
  return words
    .slice(0, suffixesMax)
    .flatMap((word, at) =>
      at > 0 && !word.text.startsWith("-") && !/^\w+=/.test(word.text) ? [words.slice(at)] : [],
    );
}

function foundCommands(words: readonly Word[]): Word[][] {
  return words.flatMap((word, at) => {
    if (!findRuns.test(word.text)) return [];
    const rest = words.slice(at + 1);
    const end = rest.findIndex(({ text }) => text === ";" || text === "+");
    return [end === -1 ? rest : rest.slice(0, end)];
  });
}
