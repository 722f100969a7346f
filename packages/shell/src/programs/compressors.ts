import type { ProgramSpec, ProgramTable, ParsedArguments } from "../arguments/program-spec.ts";
import { everythingLinked } from "./search-scope.ts";

const modes = new Set("-l --list -t --test -d --decompress --uncompress -z --compress".split(" "));
const readingModes = new Set(["-l", "--list", "-t", "--test"]);

/** Whether it prints, lists or tests. The last mode wins. */
function isReading(parsed: ParsedArguments, reading = readingModes): boolean {
  const mode = parsed.options.findLast(({ name }) => modes.has(name));
  return parsed.has("-c", "--stdout", "--to-stdout") || reading.has(mode?.name ?? "");
}

/** Replaces each file, unless an option redirects the output; without a file, it is a filter. */
const compressor = (options: string): ProgramSpec => ({
  options: `${options} --help --version`,
  operands: (parsed) => {
    if (!isReading(parsed)) return "write*";
    return parsed.has("-r", "--recursive") ? "search*" : "read*";
  },
  search: () => everythingLinked,
  // The content can be read under another name afterwards.
  check: (parsed, record) => {
    if (!isReading(parsed)) for (const word of parsed.operands) record.path(word, "read");
  },
});

/** Prints what is in compressed files. */
const printer = ({ options = "" }: ProgramSpec): ProgramSpec => ({
  options,
  operands: (parsed) => (parsed.has("-r", "--recursive") ? "search*" : "read*"),
  search: () => everythingLinked,
});

const gzip = compressor(
  "-acdfhklLnNqrtvV0123456789 -S= --ascii --stdout --to-stdout --decompress --uncompress --force --keep --list --license " +
    "--no-name --name --quiet --recursive --suffix= --synchronous --test --verbose --fast --best --rsyncable",
);

const bzip2 = compressor(
  "-cdfhkLqstvVz0123456789 --stdout --decompress --compress --keep --force --test --quiet --verbose --license --small --fast --best",
);

// `--files` reads the names of more files, and is not listed.
const xz = compressor(
  "-cdefhHklqQtvVz0123456789 -C= -F= -M= -S= -T= --stdout --to-stdout --decompress --uncompress --compress --keep --force --list " +
    "--test --quiet --verbose --no-warn --robot --extreme --fast --best --format= --check= --ignore-check --suffix= " +
    "--threads= --memory= --memlimit= --memlimit-compress= --memlimit-decompress= --no-adjust --no-sparse --single-stream " +
    "--block-size= --info-memory --long-help",
);

// Numbers are attached; the next word is a file.
const zstd = compressor(
  "-cCdfhHklqrtvVz0123456789 -B=? -D=read -M=? -T=? -o=write --stdout --decompress --uncompress --compress --keep --force --list " +
    "--test --quiet --verbose --rm!delete --[no-]progress --[no-]check --[no-]asyncio --[no-]sparse --ultra --fast=? --long=? " +
    "--adapt=? --rsyncable --single-thread --format= --output-dir-flat=write --output-dir-mirror=write --patch-from=read " +
    "--memory= --no-dictID --[no-]compress-literals --exclude-compressed --size-hint= --stream-size=",
);

const lz4Options =
  "-cdfhHklmqrtvVz0123456789 -B=? -D=read --rm!delete --list --keep --force --quiet --verbose --stdout --decompress --compress " +
  "--test --multiple --no-frame-crc --[no-]frame-crc --[no-]content-size --[no-]sparse --favor-decSpeed --fast=? --best --help " +
  "--version";

/** `-l` writes the legacy format. */
const lz4ReadingModes = new Set(["--list", "-t", "--test"]);

const lz4: ProgramSpec = {
  ...compressor(lz4Options),
  options: lz4Options,
  operands: (parsed) => {
    if (parsed.has("-r")) return "search*";
    if (isReading(parsed, lz4ReadingModes)) return "read*";
    // The second operand is the output.
    return parsed.has("-m", "--multiple") ? "write*" : "read write";
  },
  effects: "",
  check: (parsed, record) => {
    if (!isReading(parsed, lz4ReadingModes)) record.effect("write");
    for (const word of parsed.operands) record.path(word, "read");
  },
};

export const compressors: ProgramTable = {
  "gzip|gunzip|pigz|unpigz|uncompress": gzip,
  "zcat|gzcat": printer(gzip),
  "bzip2|bunzip2|pbzip2": bzip2,
  bzcat: printer(bzip2),
  "xz|unxz|lzma|unlzma": xz,
  "xzcat|lzcat": printer(xz),
  "zstd|unzstd|zstdmt": zstd,
  zstdcat: printer(zstd),
  "lz4|unlz4": lz4,
  lz4cat: printer(lz4),
};
