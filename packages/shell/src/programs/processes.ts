import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";
import { ps } from "./ps.ts";
import { prints } from "./spec-builders.ts";
import { mentions } from "./word-helpers.ts";

const signals: ProgramSpec = {
  read(words, record) {
    const [first, second] = words;
    const texts = words.map(({ known, text }) => (known === "fixed" ? text : "*"));
    if (
      /^(?:-l|-L|--list|--table)$/.test(first?.text ?? "") &&
      words.length <= 2 &&
      (!second || second.known === "fixed")
    )
      return;
    // Signal 0 only checks whether the process exists.
    if (first?.text === "-0" && texts.slice(1).every((text) => /^\d+$/.test(text))) return;
    sendsSignal(words, record);
  },
};

function sendsSignal(words: readonly Word[], record: Recorder): void {
  record.effect("system");
  const open = words.find(({ known }) => known !== "fixed");
  if (open) record.fail(`the word ${open.text} is not known before it runs`);
}

const bySignal: ProgramSpec = { read: sendsSignal };

const selection = `-acfilLnovwxA -d= -F=read -g= -G= -O= -P= -r= -s= -t= -u= -U= --count --delimiter= --euid= --exact --full --group=
  --ignore-ancestors --ignore-case --inverse --list-full --list-name --newest --ns= --nslist= --older= --oldest --parent= --pgroup=
  --pidfile=read --runstates= --session= --terminal= --uid= --lightweight --help --version -V -h`;

const pgrep: ProgramSpec = { options: selection, operands: "text" };

/** Creates a folder for its settings, and without `-b` its interactive keys can end processes. */
const top: ProgramSpec = {
  options: "-b1cHiOSs -d= -E= -e= -l= -n= -o= -p= -u= -U= -w=?",
  operands: "",
  check: (parsed, record) => {
    record.path({ ...fixedWord("~/.config/procps"), isTilde: true }, "write");
    if (!parsed.has("-b", "-l")) record.fail("its interactive keys can end processes");
  },
};

const shows = (options: string, operands = "text*"): ProgramSpec => ({
  options: `${options} --help --version`,
  operands,
});

/** With `-k` it ends the processes. A port may name another host, which is resolved. */
const fuser: ProgramSpec = {
  options:
    "-4 -6 -aclmMsuvIVx -k!system -i!system -n= -w!system --kill!system --all --mount --verbose --user --namespace= --silent",
  operands: "name*",
  check: (parsed, record) => {
    const isSocket = parsed.operands.some(({ text }) => /\/(?:tcp|udp)$/.test(text));
    if (isSocket || parsed.has("-n", "--namespace")) record.effect("network");
  },
};

/** Programs that show or end processes. */
export const processes: ProgramTable = {
  ps,
  kill: signals,
  "pkill|killall|skill|snice|xkill|renice|killall5": bySignal,
  pgrep,
  // The version of sysvinit writes to the system log or the console if a process ends meanwhile.
  pidof: { effects: "system", options: "-csxq", operands: "text*" },
  pidwait: pgrep,
  top,
  "htop|btop|atop|bottom|btm|glances|gtop|nvtop|iotop|bashtop|procs": mentions("system"),
  pstree: shows("-aAcgGlnNpsStTuUvVZ -H= -C= -h"),
  pwdx: shows(""),
  fuser,
  "prlimit|cgexec|cgclassify|reptyr|criu|gcore|kdump|bpftrace|dtrace|sysdig|py-spy|rbspy":
    mentions("execute system"),
  // Terminal multiplexers run commands.
  tmux: prints("-V", mentions("execute")),
  screen: prints("-v --version", mentions("execute")),
  "zellij|byobu|dtach|abduco|tmate|tmuxinator|ttyd|gotty": mentions("execute"),
};
