import { readCommand } from "../grammar/read-command.ts";
import type { Recorder } from "../grammar/recorder.ts";
import type { ProgramSpec, ProgramTable, Reading } from "../grammar/spec.ts";
import { everything } from "./search-scope.ts";
import { showMembers } from "./words.ts";

// `-T` runs a test program, which `-TT` names, `-@` reads names of more files, and `-lf` writes a log.
const zip: ProgramSpec = {
  options:
    "-rRjqvyXDoekSAJcgud0123456789 -b=write -i= -n= -P= -t= -x= -O=write -m!delete -T!execute --test!execute --unzip-command=execute --recurse-paths --quiet --verbose " +
    "--junk-paths --symlinks --no-extra --no-dir-entries --update --freshen --encrypt --password= --exclude= --include= " +
    "--suffixes= --out=write --temp-path=write --move!delete --delete --help --version",
  operands: "write search*",
  search: (reading) => ({ ...everything, links: !reading.has("-y", "--symlinks") }),
  effects: "write",
  check: (reading, record) => {
    if (reading.has("-T")) record.fail("which of its words is a command is not known");
  },
};

/** The program expands wildcards in the name of the archive by itself. */
function takeArchive({ operands: [first] }: Reading, record: Recorder): void {
  if (!first) return;
  const isPattern = first.known === "fixed" && /[*?[]/.test(first.text);
  record.path(isPattern ? { ...first, known: "names" } : first, "read");
}

/** The first operand is the archive, the others are members. */
const zipinfo: ProgramSpec = {
  options: "-Z12hlmMstTvzC -x=",
  operands: "text*",
  check: takeArchive,
};

// `-T` changes the time of the archive, and `-:` writes above the folder.
const unzip: ProgramSpec = {
  options: "-abcCDfhjKlLMnopqtuUvVWXz -d=write -P= -x= -i=",
  operands: "text*",
  check: (reading, record) => {
    takeArchive(reading, record);
    if (reading.has("-p", "-c")) showMembers(reading.operands.slice(1), record);
    if (reading.operands.length === 0 || reading.has("-l", "-t", "-p", "-c", "-v", "-z")) return;
    if (!reading.has("-d")) record.impliedPath(".", "write");
    record.fail("which files it writes depends on the archive");
  },
};

/** With `-Z` in front it is `zipinfo`. */
const unzipOrInfo: ProgramSpec = {
  read(words, record) {
    const isInfo = words[0]?.known === "fixed" && words[0].text.startsWith("-Z");
    readCommand(isInfo ? zipinfo : unzip, words, record);
  },
};

export const zipPrograms: ProgramTable = { zip, zipinfo, unzip: unzipOrInfo };
