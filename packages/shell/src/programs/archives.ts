import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";
import { compressors } from "./compressors.ts";
import { mentions, showMembers } from "./word-helpers.ts";
import { everythingLinked } from "./search-scope.ts";
import { tar } from "./tar.ts";
import { zipPrograms } from "./zip.ts";

/** Switches that change the output or select members. */
const harmlessSwitch =
  /^-(?:y|r[-0]?|t[\w.*:]+|slt|ba|bb[0-3]?|bd|bt|bs[oep][012]|scs[\w-]+|scrc[\w*]*|ssc-?|p.*|[ix]r?[-0]?!.*)$/i;

/** The output folder is attached (`-oDIR`). Everything but listing, testing and hashing changes files. */
const sevenZip: ProgramSpec = {
  read([command, ...words], record) {
    if (!command) return;
    if (command.known !== "fixed") return record.fail("what it does is not known before it runs");
    const isReading = /^[lti]$/i.test(command.text);
    const isHash = /^h$/i.test(command.text);
    const end = words.findIndex(({ text }) => text === "--");
    const isSwitch = (word: Word, index: number) =>
      word.text.startsWith("-") && (end === -1 || index < end);
    const operands = words.filter((word, index) => !isSwitch(word, index) && index !== end);
    for (const [index, word] of words.entries())
      if (isSwitch(word, index) && index !== end) takeSwitch(word, isReading || isHash, record);
    for (const [index, word] of operands.entries()) {
      if (word.text.startsWith("@")) return record.fail("its file names come from a file");
      if (index > 0 && isReading && word.known === "fixed") continue;
      if (isReading) record.path(pattern(word), "read");
      else if (isHash || index > 0) record.path(pattern(word), "search", everythingLinked);
      else record.path(word, "write");
    }
    if (isReading || isHash) return;
    if (/^[ex]$/i.test(command.text)) record.impliedPath(".", "write");
    record.effect("write");
    record.fail("which files it changes depends on the archive");
  },
};

const pattern = (word: Word): Word =>
  /[*?[]/.test(word.text) && word.known === "fixed" ? { ...word, known: "names" } : word;

function takeSwitch(word: Word, isReading: boolean, record: Recorder): void {
  if (word.known === "fixed" && harmlessSwitch.test(word.text)) return;
  const folder = /^-[ow](.+)$/is.exec(word.text)?.[1];
  if (folder !== undefined && word.known === "fixed" && !isReading)
    record.path(fixedWord(folder), "write");
  else record.fail(`the option ${word.text} is not known`);
}

/** It reads the names of the files to archive from its input, and extracts the files that the archive names. */
const cpio: ProgramSpec = {
  options:
    "-iotpvBbcdmnuSs0 -F= -I= -O=write -C= -H= --create --pass-through --rsh-command=execute --extract --list --verbose --file= --format= --quiet --numeric-uid-gid --force-local " +
    "--only-verify-crc --to-stdout --help --version",
  operands: "text*",
  check: (parsed, record) => {
    for (const { name, value } of parsed.options) {
      if (!value || !/^(?:-F|-I|--file)$/.test(name)) continue;
      // It reads `host:file` through a remote shell.
      if (/^[^/]*:/.test(value.text) && !parsed.has("--force-local")) {
        record.effect("execute");
        record.host(value);
      } else record.path(value, "read");
    }
    if (parsed.has("-o", "--create", "-p", "--pass-through"))
      return record.fail("its file names come from its input");
    if (!parsed.has("-i", "--extract")) return;
    if (parsed.has("--to-stdout")) showMembers(parsed.operands, record);
    if (parsed.has("-t", "--list", "--to-stdout", "--only-verify-crc", "--help", "--version"))
      return;
    record.impliedPath(".", "write");
    record.fail("which files it writes depends on the archive");
  },
};

/** The first word is the operation with its modifiers. A word with `@` names a file of options. */
const ar: ProgramSpec = {
  read([operation, file, ...members], record) {
    const words = [operation, file, ...members];
    if (!operation) return;
    const isKnown =
      operation.known === "fixed" &&
      /^(?:-?[dmpqrstxabcDfioOPSTuUvV]+|--version|--help)$/.test(operation.text) &&
      words.every(
        (word) =>
          !word || (word.known !== "open" && !/^[@*?[-]/.test(word.text)) || word === operation,
      );
    if (!isKnown) return record.fail("what it does with the archive is not known");
    const isReading = /^-?[tp][OovV]*$/.test(operation.text) || operation.text.startsWith("--");
    if (file) record.path(file, isReading ? "read" : "write");
    if (isReading) {
      if (operation.text.includes("p")) showMembers(members, record);
      for (const member of members) if (member.known !== "fixed") record.path(member, "read");
      return;
    }
    if (operation.text.includes("x")) {
      record.impliedPath(".", "write");
      record.fail("which files it writes depends on the archive");
    } else for (const member of members) record.path(member, "read");
  },
};

export const archives: ProgramTable = {
  "tar|gtar|bsdtar": tar,
  ...zipPrograms,
  ...compressors,
  "7z|7za|7zr|7zz": sevenZip,
  // Replaces each file with an archive, or an archive with its files.
  p7zip: mentions("execute write delete"),
  cpio,
  ar,
};
