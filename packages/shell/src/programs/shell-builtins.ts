import type { Recorder } from "../arguments/recorder.ts";
import { readCommand } from "../arguments/read-command.ts";
import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";
import { readSet } from "./shell-settings.ts";

/** Runs its arguments, now or later. */
const evaluates: ProgramSpec = {
  read: (_words, record) => {
    record.effect("execute");
    record.fail("it evaluates its arguments");
  },
};

const prints: ProgramSpec = { operands: "text*", printsArguments: true };

const changesShell: ProgramSpec = {
  read: (words, record) => (words.length > 0 ? record.fail("it changes the shell") : undefined),
};

/** Prints variables, unless values are given. */
const declares: ProgramSpec = {
  read(words, record) {
    const isPrinting = words.every(({ text, known }) => known === "fixed" && text === "-p");
    if (!isPrinting) record.fail("it changes variables of the shell");
    else if (!record.isAssigning) record.effect("environment");
  },
};

/** Every word is printed, even one that looks like an unknown option. */
const echo: ProgramSpec = {
  read: (words, record) => readCommand(prints, [fixedWord("--"), ...words], record),
};

const printf: ProgramSpec = {
  read(words, record) {
    const isEnd = words[0]?.known === "fixed" && words[0].text === "--";
    const format = words[isEnd ? 1 : 0];
    // `-v` assigns to a variable, and evaluates its name.
    if (!format || format.known === "open" || (format.text.startsWith("-") && !isEnd))
      return record.fail("what printf prints is not known");
    // zsh evaluates arguments for `%d` and `%*s` as arithmetic, including code in an index.
    const isText = format.known === "fixed" && /^(?:[^%]|%-?[\d.]*[sbqc%])*$/s.test(format.text);
    const mayRun = words.some(({ text, known }) => known === "open" || /\[.*[$`]/s.test(text));
    if (!isText && mayRun) return record.fail("an argument of printf may run code");
    // `%n` assigns to a variable.
    if (!isText && /%[-+ #'\d.*]*[hlLjzt]*n/.test(format.text.replaceAll("%%", "")))
      return record.fail("it changes variables of the shell");
    readCommand(prints, isEnd ? words : [fixedWord("--"), ...words], record);
  },
};

/** zsh evaluates the number as arithmetic, including code in an index. */
const leaves: ProgramSpec = {
  read(words, record) {
    const isNumber = words.every(
      ({ text, known }) => known === "fixed" && /^(?:\d+|\$\?)$/.test(text),
    );
    if (!isNumber) record.fail("a number that is not known may run code");
  },
};

const fileTest = /^-[abcdefghkLNOprsSuwxG]$/;
const fileComparison = /^-(?:nt|ot|ef)$/;
const calculation = /^-(?:eq|ne|lt|le|gt|ge)$/;
const integer = /^-?\d+$/;

const test: ProgramSpec = {
  read(given, record) {
    const words = given.filter(
      ({ text }, at) => !(at === given.length - 1 && /^\]\]?$/.test(text)),
    );
    const texts = words.map(({ text }) => text.replaceAll(/['"\\]/g, ""));
    // It evaluates an index in the name of a variable; zsh also does so in numbers.
    const mayRun = words.some(({ text, known }) => known === "open" || /[`$]|\[.*\]/s.test(text));
    if (mayRun || texts.some((text) => /^-[vR]$/.test(text)))
      return record.fail("a test with values that are not known may run code");
    for (const [at, word] of words.entries()) {
      const [before = "", after = ""] = [texts[at - 1], texts[at + 1]];
      // `[[` evaluates a name as a variable, including code in an index.
      const isNumber = [before, after].some((text) => calculation.test(text)) || before === "-t";
      const isInteger = word.known === "fixed" && integer.test(texts[at] ?? "");
      if (isNumber && !isInteger)
        return record.fail("it does arithmetic with values that are not known");
      if (fileTest.test(before) || fileComparison.test(before) || fileComparison.test(after))
        takeTested(word, record);
    }
  },
};

/** Words between `[` and `]` may still contain quotes, and a tilde or a pattern that was not expanded. */
function takeTested(word: Word, record: Recorder): void {
  const text = word.text.replaceAll(/^['"]|['"]$/g, "");
  const known = /[*?]/.test(text) && word.known === "fixed" ? "names" : word.known;
  for (const each of new Set([text, text.replaceAll(/['"\\]/g, "")])) {
    record.path({ ...word, text: each, known }, "name");
    if (each.startsWith("~") && !word.isTilde)
      record.path({ ...word, text: each, known, isTilde: true }, "name");
  }
}

const cd: ProgramSpec = {
  operands: "enter",
  options: "-LPe",
  implied: "enter ~",
  check: (_reading, record) => {
    record.deviation = null;
  },
};

export const shellBuiltins: ProgramTable = {
  echo,
  printf,
  "true|false|:": {
    read: (words, record) => readCommand(prints, [fixedWord("--"), ...words], record),
  },
  "cd|pushd": cd,
  "popd|dirs|pwd": { options: "-LPclpv" },
  "test|[|[[": test,
  "exit|return|break|continue|shift": leaves,
  sleep: { options: "--help --version", operands: "text*" },
  wait: { options: "-fn", operands: "text*" },
  times: {},
  set: { read: readSet },
  "export|declare|typeset|readonly|local": declares,
  "type|which|whereis": { options: "-atpPsbm --all", operands: "text*" },
  printenv: { effects: "environment", options: "-0 --null", operands: "text*" },
  // Without an operand they show the settings.
  umask: { options: "-pS" },
  ulimit: { options: "-aHScdfilmnpqrstuvxT" },
  jobs: { options: "-lnprs", operands: "text*" },
  shopt: { options: "-pqo", operands: "text*" },
  "fg|bg|disown|getopts|read|unset": changesShell,
  "eval|trap|alias|unalias|hash|enable|bind|complete|compgen|mapfile|readarray|coproc|fc|let":
    evaluates,
};
