import { settingNamed } from "../git/config-file.ts";
import { isInert, refreshesIndex, startsMonitor } from "../git/setting-risk.ts";
import { optionTable, readOptions } from "../arguments/options.ts";
import { readCommand } from "../arguments/read-command.ts";
import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import { readingOrWritingCommands } from "./git-reading-or-writing.ts";
import { networkCommands } from "./git-network.ts";
import { readingCommands } from "./git-reading.ts";
import { writingCommands } from "./git-writing.ts";
import { gitLfs } from "./version-control.ts";

/** Options before the command. Those that name another repository or other programs are not listed. */
const spec: ProgramSpec = {
  options:
    "-C=enter -c= -p!execute --paginate!execute -P --no-pager --no-replace-objects --no-lazy-fetch --no-optional-locks " +
    "--no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --html-path --man-path --info-path " +
    "--exec-path=?execute --list-cmds= -v --version -h --help",
  bare: {},
  // Any other word is an alias or an external program, which is unknown.
  subcommands: {
    ...readingCommands,
    ...readingOrWritingCommands,
    ...networkCommands,
    ...writingCommands,
    lfs: gitLfs,
  },
};

function readSettings(texts: readonly string[], record: Recorder): void {
  for (const text of texts) {
    const [name = "", value] = text.split(/=(.*)/su);
    const setting = settingNamed(name, value ?? null);
    if (setting && refreshesIndex(setting)) record.effect("write");
    if (setting === null || !isInert(setting) || startsMonitor(setting)) {
      record.effect("execute");
      record.fail(`the setting ${name} may run a program`);
    }
    record.deviate(`it sets ${name}`);
  }
}

export const git: ProgramTable = {
  git: {
    ...spec,
    read(words, record) {
      const given = readOptions(words, optionTable(spec.options ?? "", false), "posix");
      if (given.problem === null) readSettings(given.values("-c"), record);
      // `git --help log` is `git help log`, which runs a viewer.
      if (given.has("-h", "--help") && given.operands.length > 0) record.effect("execute");
      readCommand(spec, words, record);
    },
  },
};
