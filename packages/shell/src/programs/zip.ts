import { readCommand } from "../arguments/read-command.ts";
import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ProgramTable, ParsedArguments } from "../arguments/program-spec.ts";
import { everything } from "./search-scope.ts";
import { showMembers } from "./word-helpers.ts";

// `-T` runs a test program, which `-TT` names, `-@` reads names of more files, and `-lf` writes a log.
const zip: ProgramSpec = {
  options:
    "-rRjqvyXDoekSAJcgud0123456789 -b=write -i= -n= -P= -t= -x= -O=write -m!delete -T!execute --test!execute --unzip-command=execute --recurse-paths --quiet --verbose " +
    "--junk-paths --symlinks --no-extra --no-dir-entries --update --freshen --encrypt --password= --exclude= --include= " +
    "--suffixes= --out=write --temp-path=write --move!delete --delete --help --version",
  operands: "write search*",
  search: (parsed) => ({ ...everything, links: !parsed.has("-y", "--symlinks") }),
  effects: "write",
  check: (parsed, record) => {
    if (parsed.has("-T")) record.fail("it is not known which word is a command");
  },
};

/** The program itself expands wildcards in the name of the archive. */
function takeArchive({ operands: [first] }: ParsedArguments, record: Recorder): void {
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
  check: (parsed, record) => {
    takeArchive(parsed, record);
    if (parsed.has("-p", "-c")) showMembers(parsed.operands.slice(1), record);
    if (parsed.operands.length === 0 || parsed.has("-l", "-t", "-p", "-c", "-v", "-z")) return;
    if (!parsed.has("-d")) record.impliedPath(".", "write");
    record.fail("which files it writes depends on the archive");
  },
};

/** With `-Z` as the first option it is `zipinfo`. */
const unzipOrInfo: ProgramSpec = {
  read(words, record) {
    const isInfo = words[0]?.known === "fixed" && words[0].text.startsWith("-Z");
    readCommand(isInfo ? zipinfo : unzip, words, record);
  },
};

export const zipPrograms: ProgramTable = { zip, zipinfo, unzip: unzipOrInfo };
