/** Programs that other programs run, by documentation or because they are scripts. */
const helpers: readonly (readonly [programs: string, helpers: string])[] = [
  ["egrep fgrep rgrep", "grep"],
  // It decompresses the archive.
  ["tar", "gzip bzip2 xz zstd lzip lzma lzop compress"],
  ["zcat gunzip uncompress", "gzip"],
  ["zgrep zegrep zfgrep", "zgrep grep gzip sed expr"],
  ["bzgrep bzegrep bzfgrep", "grep egrep fgrep bzip2 sed"],
  ["xzgrep xzegrep xzfgrep", "grep egrep fgrep xz gzip sed expr"],
  ["zstdgrep", "grep zstdcat"],
  ["sdiff diff3", "diff"],
  // Its script starts with `env node`.
  ["npm", "node"],
  // The yq written in Python passes its filter to jq.
  ["yq", "jq"],
  // It asks git for the list of ignored files.
  ["ag", "sh git"],
  // Its script starts with `env ruby`.
  ["gem", "ruby"],
  ["lsb_release", "getopt cut tr cat"],
  ["dpkg", "dpkg-query"],
  // The pager that `harmlessEnvironment` sets.
  ["bat batcat", "cat"],
  // `git submodule` is a script that uses these, and `git lfs` is git-lfs; other subcommands are in git's own folder.
  ["git", "git git-lfs basename dirname sed uname sh gettext envsubst"],
];

const byProgram: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  helpers.flatMap(([programs, names]) =>
    programs.split(" ").map((program) => [program, new Set(names.split(" "))] as const),
  ),
);

const none: ReadonlySet<string> = new Set();

export function helpersOf(program: string): ReadonlySet<string> {
  return byProgram.get(program) ?? none;
}
