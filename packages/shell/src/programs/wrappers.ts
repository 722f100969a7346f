import { readCommand } from "../arguments/read-command.ts";
import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import { isHarmlessVariable } from "../assigned-variables.ts";
import { shellBuiltins } from "./shell-builtins.ts";
import { shells } from "./shells.ts";

/** Only changes how another command runs. */
const passes = (options: string, operands = "command"): ProgramSpec => ({
  options,
  operands,
  style: "posix",
  transparent: true,
});

/** Runs a command with other rights, or in a way that cannot be analysed. */
const runs = (effects: string): ProgramSpec => ({
  effects,
  read: (_words, record) => record.fail("what it runs is not analysed"),
});

/** Its options clear the environment, remove variables, split words or change the folder. */
const env: ProgramSpec = {
  read(words, record) {
    const isShowing = words.every(({ text }) => /^(?:-0|--null)$/.test(text));
    if (isShowing) return record.effect("environment");
    const at = words.findIndex(
      ({ text, known }) => known !== "fixed" || !/^[^=-][^=]*=/s.test(text),
    );
    if (words[at]?.text.startsWith("-")) return record.fail("env changes the environment");
    const assignments = at === -1 ? words : words.slice(0, at);
    for (const { text } of assignments) {
      const equals = text.indexOf("=");
      const name = text.slice(0, equals);
      if (!isHarmlessVariable(name, text.slice(equals + 1), false))
        record.fail(`it sets the variable ${name}`);
    }
    if (at === -1) return record.effect("environment");
    if (assignments.length === 0) record.isTransparent = true;
    else record.isWidenable = false;
    record.commands.push(words.slice(at));
  },
};

/** `command -v name` runs nothing. */
const command: ProgramSpec = {
  read(words, record) {
    const isLookup = words[0]?.known === "fixed" && /^-p?[vV]$/.test(words[0].text);
    readCommand(isLookup ? { options: "-pvV", operands: "text*" } : passes("-p"), words, record);
  },
};

/** Writes output to a file instead of a terminal. */
const nohup: ProgramSpec = {
  ...passes(""),
  check: ({ operands }, record) => {
    if (operands.length === 0) return;
    record.isTransparent = false;
    record.impliedPath("nohup.out", "write");
  },
};

/** The shell keyword has only `-p`; the program can write its report to a file. */
const time: ProgramSpec = {
  ...passes("-pavq -o=write -f= --portability --append --verbose --quiet --output=write --format="),
  check: (parsed, record) => {
    if (parsed.has("-o", "--output")) record.isTransparent = false;
  },
};

/** The arguments of the command come from the input and are not known. Without a command, it prints them. */
const xargs: ProgramSpec = {
  options:
    "-0prtx -a=read -d= -E= -e=? -I= -i=? -L= -l=? -n= -P= -s= --null --arg-file=read --delimiter= --eof=? --replace=? " +
    "--max-lines=? --max-args= --max-procs= --max-chars= --interactive --no-run-if-empty --verbose --exit --show-limits " +
    "--help --version",
  style: "posix",
  operands: "command",
  check: ({ operands }, record) => {
    if (operands.length > 0) record.fail("the arguments come from another command");
  },
};

export const wrappers: ProgramTable = {
  time,
  nohup,
  setsid: passes("-cfw --ctty --fork --wait"),
  nice: passes("-# -n= --adjustment="),
  ionice: passes("-c= -n= -t --class= --classdata= --ignore"),
  stdbuf: passes("-i= -o= -e= --input= --output= --error="),
  timeout: passes(
    "-v --verbose --foreground --preserve-status -s= --signal= -k= --kill-after=",
    "text command",
  ),
  command,
  builtin: passes(""),
  // `-a` sets another program name, and `-c` clears the environment.
  exec: passes(""),
  env,
  xargs,
  "sudo|doas|su|runuser|pkexec": runs("system execute"),
  "parallel|watch|watchexec|entr|flock|taskset|chrt|setarch|unbuffer|script|expect|strace|ltrace|busybox|toybox|run-parts":
    runs("execute"),
  "chroot|unshare|nsenter|bwrap|firejail|systemd-run|at|batch": runs("execute system"),
  "fish|csh|tcsh|nu|pwsh|powershell": runs("execute"),
  ...shells,
  ...shellBuiltins,
};
