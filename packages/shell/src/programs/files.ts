import type { SearchScope } from "../line-facts.ts";
import type { ProgramSpec, ProgramTable, ParsedArguments } from "../arguments/program-spec.ts";
import { readCommand } from "../arguments/read-command.ts";
import type { Recorder } from "../arguments/recorder.ts";
import { rsync } from "./rsync.ts";
import { everything } from "./search-scope.ts";
import { rest } from "./word-helpers.ts";

/** A listing that follows links may leave the given folder. */
const listed =
  (...followers: readonly string[]) =>
  (parsed: ParsedArguments) =>
    parsed.has(...followers) ? "search" : "name";

const followed = (): SearchScope => ({ ...everything, links: true, namesOnly: true });

const listing = (options: string, ...followers: readonly string[]): ProgramSpec => ({
  options: `${options} --help --version`,
  operands: (parsed) => `${listed(...followers)(parsed)}*`,
  implied: (parsed) => `${listed(...followers)(parsed)} .`,
  search: followed,
});

// `-I`, `-T` and `-w` take a value in GNU ls and none in BSD ls, where the next word is a path.
const ls: ProgramSpec = {
  options:
    "-aAbBcCdDefFgGhHiklLmnNoOpPqQrRsStuUvWxXyZ1@% -I=name -T=name -w=name --all --almost-all --author --escape " +
    "--block-size= --ignore-backups --color=? --directory --dired --classify=? --file-type --format= --full-time " +
    "--group-directories-first --no-group --human-readable --si --dereference-command-line " +
    "--dereference-command-line-symlink-to-dir --hide= --hyperlink=? --indicator-style= --inode --ignore= --kibibytes " +
    "--dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style= " +
    "--reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --context --zero --help --version",
  operands: (parsed) => (leavesByLinks(parsed) ? "search*" : "name*"),
  implied: (parsed) => (leavesByLinks(parsed) ? "search ." : "name ."),
  search: followed,
};

const leavesByLinks = (parsed: ParsedArguments): boolean =>
  parsed.has("-R", "--recursive") && parsed.has("-L", "--dereference");

// `-R` runs tree again with `-o`, and is not listed.
const treeSpec: ProgramSpec = {
  ...listing("", "-l"),
  options:
    "-adlfxqNQpugshDFvtcUriAnCXJS -L= -P= -I= -H= -T= -o=write --gitignore --gitfile=read --ignore-case --matchdirs " +
    "--metafirst --prune --info --infofile=read --noreport --charset= --filelimit= --si --du --timefmt= --inodes --device " +
    "--dirsfirst --filesfirst --sort=? --nolinks --hyperlink --help --version",
};

/** A letter with a value takes the next word, and the letters after it are separate options. */
const tree: ProgramSpec = {
  options: treeSpec.options ?? "",
  read(words, record) {
    const bundle = words.find(({ text }) => /^-[^-]*[LPIHTo][^-]+$/.test(text));
    if (bundle) record.fail(`which words belong to ${bundle.text} is not known`);
    readCommand(treeSpec, words, record);
  },
};

const eza: ProgramSpec = listing(
  "-1aAdDfFGlxRTrhHiMnSmuUbBgoOXZ@ -I= -L= -s= -t= -w= --all --almost-all --long --grid --across --recurse --tree --oneline --reverse " +
    "--level= --sort= --time= --time-style= --color=? --colour=? --color-scale=? --icons=? --no-icons --classify=? --hyperlink " +
    "--header --inode --links --binary --bytes --group --smart-group --numeric --blocksize --modified --accessed --created " +
    "--changed --extended --context --octal-permissions --no-permissions --no-filesize --no-user --no-time --git " +
    "--git-ignore --git-repos --no-git --list-dirs --only-dirs --only-files --group-directories-first " +
    "--group-directories-last --ignore-glob= --total-size --width= --no-quotes --stdin=?unknown",
  "--follow-symlinks",
);

const lsd: ProgramSpec = listing(
  "-aAlLhFdRt1SvXrUgiZ -I= --all --almost-all --long --oneline --tree --recursive --human-readable --depth= --size= " +
    "--date= --permission= --blocks= --color= --icon= --icon-theme= --group-dirs= --group-directories-first --sort= --timesort " +
    "--sizesort --extensionsort --versionsort --reverse --directory-only --total-size --inode --git --classic --no-symlink " +
    "--ignore-glob= --header --literal --hyperlink= --truncate-owner-after= --ignore-config",
  "-L",
  "--dereference",
);

// `-f` and `-t` take a format in BSD stat: it counts as a name, which does no harm.
const stat: ProgramSpec = {
  options:
    "-LfFlnqrstx -c= --format= --printf= --dereference --file-system --terse --cached= --help --version",
  operands: "name*",
};

// `-z` runs other programs, `-C` writes, and `-f` reads names of more files.
const file: ProgramSpec = {
  options:
    "-bchiIkLlnNrvs0 -p!write -e= -F= -P= -m=load -M=load --brief --checking-printout --exclude= --separator= --mime --mime-type " +
    "--mime-encoding --extension --apple --keep-going --dereference --no-dereference --no-buffer --no-pad --raw --print0 " +
    "--preserve-date!write --special-files --magic-file=load --parameter= --list --help --version",
  operands: "read*",
};

const du: ProgramSpec = listing(
  "-0abcDhHklmPSsxLgnAr -B= -d= -t= -X=read -I= --all --apparent-size --block-size= --bytes --total --dereference-args " +
    "--max-depth= --human-readable --inodes --dereference --count-links --null --no-dereference --separate-dirs --si " +
    "--summarize --threshold= --time=? --time-style= --exclude-from=read --exclude= --one-file-system",
  "-L",
  "--dereference",
);

const df: ProgramSpec = {
  options:
    "-ahHiIklmPvgYbcn -B= -t=name -x= -T --all --block-size= --human-readable --si --inodes --local --portability " +
    "--output=? --total --type= --exclude-type= --print-type --help --version",
  operands: "name*",
};

const remove: ProgramSpec = {
  options:
    "-dfiIrRvPWx --force --recursive --verbose --dir --interactive=? --one-file-system --preserve-root=? " +
    "--no-preserve-root --help --version",
  operands: "delete*",
};

const isRecursive = (parsed: ParsedArguments): boolean =>
  parsed.has("-r", "-R", "-a", "--recursive", "--archive");

const copied = (parsed: ParsedArguments): SearchScope => ({
  ...everything,
  links: parsed.has("-L", "--dereference"),
});

const cp: ProgramSpec = {
  options:
    "-abcdfiHlLnNPpRrsTuvxXZ -S= -t=write --archive --attributes-only --backup=? --copy-contents --debug --force " +
    "--interactive --link --dereference --no-clobber --no-dereference --preserve=? --no-preserve= --parents --recursive " +
    "--reflink=? --remove-destination --sparse= --strip-trailing-slashes --symbolic-link --suffix= " +
    "--target-directory=write --no-target-directory --update=? --verbose --one-file-system --context=? --help --version",
  operands: (parsed) => {
    const source = isRecursive(parsed) ? "search*" : "read*";
    return parsed.has("-t", "--target-directory") ? source : `${source} write`;
  },
  search: copied,
};

/** A file can be read under its new name, so its content counts as read. */
const alsoRead = (parsed: ParsedArguments, record: Recorder): void => {
  const isInto = parsed.has("-t", "--target-directory");
  for (const word of isInto ? parsed.operands : parsed.operands.slice(0, -1))
    record.path(word, "read");
};

const mv: ProgramSpec = {
  options:
    "-bfhinuvTZ -S= -t=write --backup=? --debug --exchange --force --interactive --no-clobber --strip-trailing-slashes " +
    "--suffix= --target-directory=write --no-target-directory --update=? --verbose --context --no-copy --help --version",
  operands: (parsed) => (parsed.has("-t", "--target-directory") ? "delete*" : "delete* write"),
  check: alsoRead,
};

const ln: ProgramSpec = {
  options:
    "-bdfFhiLnPrsTvw -S= -t=write --backup=? --directory --force --interactive --logical --no-dereference --physical " +
    "--relative --symbolic --suffix= --target-directory=write --no-target-directory --verbose --help --version",
  operands: (parsed) => {
    if (parsed.has("-t", "--target-directory")) return "read*";
    return parsed.operands.length === 1 ? "read" : "read* write";
  },
  check: (parsed, record) => {
    const [only, ...others] = parsed.operands;
    if (only && others.length === 0 && !parsed.has("-t", "--target-directory"))
      record.path({ ...only, text: only.text.replace(/^.*\/(?=.)/s, ""), isTilde: false }, "write");
  },
};

// `-s` runs strip.
const install: ProgramSpec = {
  options:
    "-bcCDdpTvZ -g= -m= -o= -S= -t=write --backup=? --compare --directory --group= --mode= --owner= --preserve-timestamps " +
    "--suffix= --target-directory=write --no-target-directory --verbose --debug --help --version",
  operands: (parsed) => {
    if (parsed.has("-d", "--directory")) return "write*";
    return parsed.has("-t", "--target-directory") ? "read*" : "read* write";
  },
};

const chmod: ProgramSpec = {
  options:
    "-cfvRhHLPrwxXstugo --changes --quiet --silent --verbose --no-preserve-root --preserve-root --reference=name " +
    "--recursive --dereference --no-dereference --help --version",
  operands: (parsed) =>
    parsed.has("--reference", "-r", "-w", "-x", "-X", "-s", "-t", "-u", "-g", "-o")
      ? "write*"
      : "text write*",
  effects: "write",
};

const chown: ProgramSpec = {
  options:
    "-cfvRhHLPnx --changes --quiet --silent --verbose --from= --no-preserve-root --preserve-root --reference=name " +
    "--recursive --dereference --no-dereference --help --version",
  operands: (parsed) => (parsed.has("--reference") ? "write*" : "text write*"),
  effects: "write",
};

const settingsOfDd =
  /^(?:bs|ibs|obs|cbs|count|skip|seek|iseek|oseek|status|conv|iflag|oflag|speed|files)=/;

const dd: ProgramSpec = {
  read(words, record) {
    for (const word of words) {
      const side = /^(if|of)=(.*)$/s.exec(word.text);
      if (word.known !== "fixed") record.fail(`the word ${word.text} is not known before it runs`);
      else if (side) record.path(rest(word, 3), side[1] === "if" ? "read" : "write");
      else if (word.text === "--help" || word.text === "--version") continue;
      else if (!settingsOfDd.test(word.text)) record.fail(`the argument ${word.text} is not known`);
    }
  },
};

const split: ProgramSpec = {
  options:
    "-deux -# -a= -b= -C= -l= -n= -t= -p= --suffix-length= --additional-suffix= --bytes= --line-bytes= --lines= --number= " +
    "--separator= --numeric-suffixes=? --hex-suffixes=? --elide-empty-files --unbuffered --verbose --filter=execute " +
    "--help --version",
  operands: "read write",
  effects: "write",
};

const csplit: ProgramSpec = {
  options:
    "-kqsz -b= -f=write -n= --suffix-format= --prefix=write --keep-files --suppress-matched --digits= --quiet --silent " +
    "--elide-empty-files --help --version",
  operands: "read text*",
  effects: "write",
};

// `-s` takes a text in md5; in sum the next word is a file. `-c` reads file names from a file, and is not listed.
const checksum: ProgramSpec = {
  options:
    "-btzqrn0 -a= -l= -s=read --binary --text --tag --untagged --zero --algorithm= --length= --base64 --raw --debug --portable " +
    "--help --version",
  operands: "read*",
};

/** In GNU base64, the word after `-i` is the file. */
const base64: ProgramSpec = {
  options:
    "-dDn -w= -b= -i=read -o=write --decode --wrap= --break= --ignore-garbage --input=read --output=write --base64 " +
    "--base64url --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 --base58 --help --version",
  operands: "read*",
};

/** Output streams. */
const streams = /^\/dev\/(?:null|stdout|stderr|tty)$/;

/** Operands are only printed, unless they name files. */
const texts = ({ operands }: ParsedArguments): string =>
  operands.map(({ known }) => (known === "names" ? "name" : "text")).join(" ");

export const files: ProgramTable = {
  ls,
  "dir|vdir": ls,
  tree,
  "exa|eza": eza,
  lsd,
  stat,
  file,
  du,
  df,
  readlink: {
    options:
      "-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero --help --version",
    operands: "name*",
  },
  realpath: {
    options:
      "-emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --relative-to=name " +
      "--relative-base=name --strip --no-symlinks --zero --help --version",
    operands: "name*",
  },
  basename: {
    options: "-az -s= --multiple --suffix= --zero --help --version",
    operands: texts,
  },
  dirname: { options: "-z --zero --help --version", operands: texts },
  touch: {
    options:
      "-acfhm -A= -d= -r=name -t= --no-create --date= --no-dereference --reference=name --time= --help --version",
    operands: "write*",
    effects: "write",
    widenable: true,
  },
  mkdir: {
    options: "-pvZ -m= --mode= --parents --verbose --context=? --help --version",
    operands: "write*",
    effects: "write",
    widenable: true,
  },
  rmdir: {
    options: "-pv --ignore-fail-on-non-empty --parents --verbose --help --version",
    operands: "delete*",
  },
  rm: remove,
  unlink: { options: "--help --version", operands: "delete" },
  link: { options: "--help --version", operands: "read write" },
  cp,
  mv,
  ln,
  install,
  chmod,
  "chown|chgrp": chown,
  dd,
  truncate: {
    options: "-co -r=name -s= --no-create --io-blocks --reference=name --size= --help --version",
    operands: "write*",
  },
  shred: {
    options:
      "-fuvxz -n= -s= --force --iterations= --random-source=read --size= --remove=? --verbose --exact --zero --help --version",
    operands: "delete*",
  },
  mktemp: {
    options:
      "-dqut -p=write --directory --dry-run --quiet --suffix= --tmpdir=?write --help --version",
    operands: "write*",
    effects: "write",
  },
  tee: {
    options: "-aip --append --ignore-interrupts --output-error=? --help --version",
    operands: ({ operands }) =>
      operands.map(({ text }) => (streams.test(text) ? "text" : "write")).join(" "),
  },
  split,
  csplit,
  // It opens files for writing if it cannot read them.
  sync: { options: "-df --data --file-system --help --version", operands: "write*" },
  mkfifo: { options: "-Z -m= --mode= --context=? --help --version", operands: "write*" },
  mknod: {
    options: "-Z -m= --mode= --context=? --help --version",
    operands: "write text*",
    effects: "system",
  },
  chattr: {
    effects: "write system",
    read(words, record) {
      for (const word of words) if (!/^[-+=]/.test(word.text)) record.path(word, "write");
      record.fail("it changes attributes of files");
    },
  },
  getfacl: {
    options:
      "-acdeEsRLPtpn --access --default --omit-header --all-effective --no-effective --skip-base --recursive --logical " +
      "--physical --tabular --absolute-names --numeric --help --version",
    operands: "name*",
  },
  setfacl: {
    options:
      "-bkndRLP -m= -x= -M=read -X=read --modify= --remove= --set= --set-file=read --modify-file=read --remove-file=read " +
      "--remove-all --remove-default --no-mask --mask --default --recursive --logical --physical --test",
    operands: "write*",
    effects: "write",
  },
  rsync,
  "md5sum|sha1sum|sha224sum|sha256sum|sha384sum|sha512sum|b2sum|b3sum|shasum|cksum|sum|md5":
    checksum,
  "base64|base32|basenc": base64,
};
