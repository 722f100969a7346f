import { readCommand } from "../arguments/read-command.ts";
import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";
import { everything } from "./search-scope.ts";
import { showMembers } from "./word-helpers.ts";

const modes: Readonly<Record<string, string>> = {
  "-c": "create",
  "--create": "create",
  "-r": "append",
  "--append": "append",
  "-u": "append",
  "--update": "append",
  "-A": "join",
  "--catenate": "join",
  "--concatenate": "join",
  "--delete": "delete",
  "-x": "extract",
  "--extract": "extract",
  "--get": "extract",
  "-t": "list",
  "--list": "list",
  "--test-label": "list",
  "-d": "compare",
  "--diff": "compare",
  "--compare": "compare",
};

/** The kind of the operands. Members of an archive are not paths. */
const operandsOf: Readonly<Record<string, string>> = {
  create: "search*",
  append: "search*",
  join: "read*",
  compare: "search*",
};

const aboutOptions = "--help --version --usage --show-defaults";
const isAbout = (parsed: ParsedArguments): boolean => parsed.has(...aboutOptions.split(" "));

/** Null if there is none or several. */
function modeOf(parsed: ParsedArguments): string | null {
  const given = new Set(parsed.options.flatMap(({ name }) => modes[name] ?? []));
  const [mode] = given;
  return given.size === 1 ? (mode ?? null) : null;
}

// `-H` takes no value in bsdtar, where a file follows; `-s` and `-W` take one there, and `-W` is any long option. Names in a file (`-T`) may be options. Volumes (`-M`) and checkpoints run commands.
const spec: ProgramSpec = {
  options:
    `${Object.keys(modes).join(" ")} -BGhiJjklmnOoPpRSUvwZza -b= -C=enter -F=execute -f= -g=write -H=read -I=execute -K= -N=name ` +
    "-V= -X=read --directory=enter --file= --info-script=execute --new-volume-script=execute --listed-incremental=write " +
    "--use-compress-program=execute --to-command=execute --rsh-command=execute --rmt-command=execute " +
    "--checkpoint-action=execute --index-file=write --volno-file=write --exclude-from=read --add-file=search " +
    "--one-top-level=?write --remove-files!delete --recursive-unlink!delete --unlink-first --exclude= --exclude-backups " +
    "--exclude-caches --exclude-caches-all --exclude-vcs --exclude-vcs-ignores --exclude-tag= --exclude-ignore= --incremental " +
    "--seek --no-seek --occurrence=? --sparse --to-stdout --recursion --no-recursion --anchored --no-anchored --ignore-case " +
    "--no-ignore-case --wildcards --no-wildcards --wildcards-match-slash --no-wildcards-match-slash --keep-newer-files " +
    "--keep-old-files --skip-old-files --overwrite --overwrite-dir --no-overwrite-dir --keep-directory-symlink --touch " +
    "--same-owner --no-same-owner --same-permissions --preserve-permissions --no-same-permissions --numeric-owner --owner= " +
    "--group= --mode= --mtime=name --sort= --acls --no-acls --selinux --no-selinux --xattrs --no-xattrs --force-local " +
    "--blocking-factor= --read-full-records --ignore-zeros --record-size= --format= --pax-option= --posix --old-archive " +
    "--portability --label= --auto-compress --no-auto-compress --bzip2 --xz --lzip --lzma --lzop --zstd --gzip --gunzip " +
    "--ungzip --compress --uncompress --dereference --hard-dereference --starting-file= --newer=name --after-date=name " +
    "--newer-mtime=name --one-file-system --absolute-names --strip-components= --transform= --xform= --checkpoint=? " +
    "--full-time --check-links --quoting-style= --block-number --show-omitted-dirs --show-transformed-names " +
    `--show-stored-names --totals=? --utc --verbose --warning= --interactive --ignore-failed-read --backup=? --suffix= ${aboutOptions}`,
  operands: (parsed) => operandsOf[modeOf(parsed) ?? ""] ?? "text*",
  search: (parsed) => ({ ...everything, links: parsed.has("-h", "--dereference") }),
  check: (parsed, record) => {
    if (isAbout(parsed)) return;
    const mode = modeOf(parsed);
    if (mode === null) return record.fail("it is not known whether it reads or writes an archive");
    takeArchives(parsed, mode, record);
    if (mode === "extract" && !parsed.has("-O", "--to-stdout")) extracts(parsed, record);
    else if (mode === "extract") showMembers(parsed.operands, record);
    // bsdtar reads the archive after `@`.
    if (parsed.operands.some(({ text }) => text.startsWith("@")) && operandsOf[mode])
      record.fail("which file it reads is not known");
    if (mode === "compare" && parsed.operands.length === 0)
      record.fail("which files it reads depends on the archive");
  },
};

const valuesOf = (parsed: ParsedArguments, ...names: readonly string[]): Word[] =>
  parsed.options.flatMap(({ name, value }) => (names.includes(name) && value ? [value] : []));

const isReading = (mode: string): boolean => /^(?:list|extract|compare)$/.test(mode);

function takeArchives(parsed: ParsedArguments, mode: string, record: Recorder): void {
  const archives = valuesOf(parsed, "-f", "--file");
  if (archives.length === 0 && !isReading(mode))
    record.fail("the location of the archive is not known");
  for (const archive of archives) {
    // It reads `host:file` through a remote shell.
    if (/^[^/]*:/.test(archive.text) && !parsed.has("--force-local")) {
      record.effect("execute");
      record.host(archive);
    } else record.path(archive, isReading(mode) ? "read" : "write");
  }
}

function extracts(parsed: ParsedArguments, record: Recorder): void {
  const folders = valuesOf(parsed, "-C", "--directory");
  for (const folder of folders.length > 0 ? folders : [fixedWord(".")])
    record.path(folder, "write");
  record.fail("which files it writes depends on the archive");
}

const lettersWithValue = "bCFfgHIKLNTVX";

/** Converts `tar xzf a.tgz`, where values follow in the order of the letters. */
function withDashes([first, ...rest]: readonly Word[]): readonly Word[] {
  if (!first || first.known !== "fixed" || !/^[a-zA-Z]+$/.test(first.text))
    return first ? [first, ...rest] : [];
  const values = [...rest];
  const options: Word[] = [];
  for (const letter of first.text) {
    options.push(fixedWord(`-${letter}`));
    const value = lettersWithValue.includes(letter) ? values.shift() : undefined;
    if (value) options.push(value);
  }
  return [...options, ...values];
}

export const tar: ProgramSpec = {
  read: (words, record) =>
    words.length === 0 ? undefined : readCommand(spec, withDashes(words), record),
};
