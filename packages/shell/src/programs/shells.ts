import type { Recorder } from "../arguments/recorder.ts";
import { readCommand } from "../arguments/read-command.ts";
import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import { mayHaveBraces, type Word } from "../parse/word.ts";
import { isHarmlessSetting } from "./shell-settings.ts";

interface ShellCall {
  /** The letters of its options. */
  readonly letters: string;
  readonly operands: readonly Word[];
  readonly problem: string | null;
}

/** `-lc`, `-euo pipefail -c`, `--login -c`: options that do not change what the words of a line mean. */
function readCall(words: readonly Word[]): ShellCall {
  let letters = "";
  for (let at = 0; at < words.length; at += 1) {
    const { text, known } = words[at] ?? { text: "", known: "open" };
    if (known === "fixed" && /^--?$/.test(text))
      return { letters, operands: words.slice(at + 1), problem: null };
    if (known !== "open" && !/^[-+]/.test(text))
      return { letters, operands: words.slice(at), problem: null };
    const isKnown =
      known === "fixed" && /^(?:-[ceulnvx]*o?|--login|--noprofile|--norc)$/.test(text);
    if (!isKnown) return failed(`the option ${text} of a shell is not known`);
    if (text.startsWith("--")) continue;
    letters += text.slice(1);
    if (!text.endsWith("o")) continue;
    at += 1;
    if (!isHarmlessSetting(words[at])) return failed("a setting of the shell is not known");
  }
  return { letters, operands: [], problem: null };
}

const failed = (problem: string): ShellCall => ({ letters: "", operands: [], problem });

/** A shell with `-c` runs one line; with a file, it runs that file. Lines are read as bash reads them. */
const shell: ProgramSpec = {
  read(words, record) {
    const { letters, operands, problem } = readCall(words);
    const [first, ...rest] = operands;
    if (problem !== null) return record.fail(problem);
    if (!first) return record.fail("a shell without a command reads commands from its input");
    if (letters.includes("c")) {
      if (first.known !== "fixed")
        return record.fail("the line for the shell is not known before it runs");
      if (rest.length > 0) return record.fail("the line for the shell takes arguments");
      record.isTransparent = true;
      record.scripts.push(first.text);
      return;
    }
    // With `-n` it only checks the syntax.
    if (/^[nv]*n[nv]*$/.test(letters))
      return readCommand({ operands: "read text*", style: "posix" }, operands, record);
    runsFile(operands, record);
  },
};

function runsFile([file, ...rest]: readonly Word[], record: Recorder): void {
  if (!file) return record.fail("no file is given");
  // The content of a pipe is not known.
  if (/^\/(?:dev|proc)\//.test(file.text)) return record.fail("it runs what it reads");
  readCommand({ operands: "code text*", style: "posix" }, [file, ...rest], record);
}

/** These shells do not expand `{a,b}`, so it is a file name. */
const posixShell: ProgramSpec = {
  read(words, record) {
    if (words.some(({ text }) => mayHaveBraces(text)))
      record.fail("braces mean something else to a POSIX shell");
    readCommand(shell, words, record);
  },
};

export const shells: ProgramTable = {
  "bash|zsh|ksh": shell,
  "sh|dash|ash": posixShell,
  "source|.": { effects: "execute", read: runsFile },
};
