import type { ProgramSpec, ProgramTable, ParsedArguments } from "../arguments/program-spec.ts";
import { fd } from "./fd.ts";
import { find } from "./find.ts";
import { everything, grepScope, hasPattern, ripgrepScope } from "./search-scope.ts";

const about = "--help --version";

// The value of `-d` may be abbreviated.
const isRecursive = (parsed: ParsedArguments): boolean =>
  parsed.has("-r", "-R", "--recursive", "--dereference-recursive") ||
  parsed.values("-d", "--directories").some((value) => value !== "read" && value !== "skip");

const patternOptions = "-EFGPivwxcloqsnbHhaIU -# -A= -B= -C= -m= -e=";

const grepOptions =
  `${patternOptions} -LrRzTZuyV -f=read -d= -D= --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= ` +
  "--file=read --ignore-case --no-ignore-case --word-regexp --line-regexp --null-data --no-messages --invert-match " +
  "--max-count= --byte-offset --line-number --line-buffered --with-filename --no-filename --label= --only-matching --quiet " +
  "--silent --binary-files= --text --directories= --devices= --recursive --dereference-recursive --include= --exclude= " +
  "--exclude-from=read --exclude-dir= --files-without-match --files-with-matches --count --initial-tab --null " +
  "--before-context= --after-context= --context=? --group-separator= --no-group-separator --color=? --colour=? --binary";

const grepSpec = (isAlwaysRecursive: boolean): ProgramSpec => {
  const searches = (parsed: ParsedArguments) => isAlwaysRecursive || isRecursive(parsed);
  return {
    options: `${grepOptions} ${about}`,
    operands: (parsed) => {
      const paths = searches(parsed) ? "search*" : "read*";
      return parsed.has("-e", "--regexp", "-f", "--file") ? paths : `text ${paths}`;
    },
    implied: (parsed) => (searches(parsed) ? "search ." : null),
    search: grepScope,
  };
};

/** A shell script around grep that evaluates its words. Older versions run code in file names. */
const zgrep: ProgramSpec = {
  options: `${patternOptions} -L ${about}`,
  operands: (parsed) => (parsed.has("-e") ? "read*" : "text read*"),
  effects: "execute",
};

const ripgrepAbout = "--type-list --version -V --help -h --pcre2-version";

// `-z` and `--pre` run a program for each file, and `--hostname-bin` runs one for each search.
const ripgrep: ProgramSpec = {
  options:
    "-abcFHiIlLnNoPpqsSUuvVwxh0. -A= -B= -C= -e= -E= -f=read -g= -j= -m= -M= -r= -t= -T= -d= -z!execute --search-zip!execute " +
    "--pre=execute --hostname-bin=execute --pre-glob= --after-context= --before-context= --context= --auto-hybrid-regex " +
    "--binary --block-buffered --byte-offset --case-sensitive --color= --colors= --column --no-column " +
    "--context-separator= --no-context-separator --count --count-matches --crlf --debug --trace --dfa-size-limit= " +
    "--encoding= --no-encoding --engine= --field-context-separator= --field-match-separator= --file=read --files " +
    "--files-with-matches --files-without-match --fixed-strings --[no-]follow --glob= --glob-case-insensitive --heading " +
    "--[no-]hidden --hyperlink-format= --iglob= --ignore-case --ignore-file=read --ignore-file-case-insensitive " +
    "--include-zero --invert-match --json --line-buffered --line-number --line-regexp --max-columns= " +
    "--max-columns-preview --max-count= --max-depth= --maxdepth= --max-filesize= --mmap --no-mmap --multiline " +
    "--multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-dot --no-ignore-exclude " +
    "--no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-line-number " +
    "--no-messages --no-pcre2-unicode --no-require-git --no-unicode --null --null-data --one-file-system --only-matching " +
    "--passthru --path-separator= --pcre2 --pretty --quiet --regexp= --regex-size-limit= --replace= --smart-case --sort= " +
    `--sortr= --sort-files --stats --stop-on-nonmatch --text --threads= --trim --type= --type-add= --type-clear= --type-not= ` +
    `--unrestricted --vimgrep --with-filename --word-regexp ${ripgrepAbout}`,
  operands: (parsed) => {
    if (parsed.has(...ripgrepAbout.split(" "))) return "text*";
    return hasPattern(parsed) ? "search*" : "text search*";
  },
  implied: (parsed) => (parsed.has(...ripgrepAbout.split(" ")) ? null : "search ."),
  search: (parsed) => ({ ...ripgrepScope(parsed), namesOnly: parsed.has("--files") }),
};

const ag: ProgramSpec = {
  options:
    "-acDfFHiLloQRrSstuUvVwz0 -A= -B= -C= -G= -g= -m= -n -p=read -W= --ackmate --after=? --before=? --break --nobreak --count " +
    "--color --nocolor --color-line-number= --color-match= --color-path= --column --filename --nofilename --heading " +
    "--noheading --context=? --group --nogroup --filename-pattern= --files-with-matches --files-without-matches " +
    "--print-all-files --numbers --nonumbers --only-matching --print-long-lines --passthrough --passthru --silent --stats " +
    "--stats-only --vimgrep --null --print0 --all-types --debug --depth= --follow --nofollow --fixed-strings " +
    "--file-search-regex= --hidden --ignore-case --ignore= --ignore-dir= --literal --max-count= --one-device --pager=execute " +
    "--nopager --parallel --path-to-ignore=read --path-to-agignore=read --recurse --norecurse --case-sensitive --smart-case " +
    "--search-binary --all-text --unrestricted --skip-vcs-ignores --invert-match --word-regexp --width= --search-zip " +
    `--list-file-types --workers= --affinity --noaffinity --mmap --nommap --multiline --nomultiline ${about}`,
  operands: (parsed) =>
    parsed.has("-g", "--filename-pattern", "--list-file-types") ? "search*" : "text search*",
  implied: "search .",
  search: (parsed) => ({
    ...everything,
    // It does not read ignore files of parent folders, so these exclude nothing.
    hidden: parsed.has("--hidden", "-u", "--unrestricted"),
    links: parsed.has("-f", "--follow"),
  }),
  // A value that is not a number is the pattern.
  check: (parsed, record) => {
    if (parsed.values("-A", "-B", "-C").some((value) => !/^\d+$/.test(value)))
      record.fail("it is not known which word is the pattern");
  },
};

// `.ackrc` of the project applies unless `--noenv` is given; older versions run code in `--output`. The word after `-C`
// or `-p` may be its value or the pattern, so they are not listed.
const ack: ProgramSpec = {
  options:
    "-filLcSIvwQoHhsPkrRn1 -A= -B= -g= -m= -t= -T= -x=unknown --ignore-case --no-ignore-case --smart-case " +
    "--no-smart-case --nosmart-case --invert-match --word-regexp --literal --range-start= --range-end= --match= " +
    "--output=execute --passthru --max-count= --with-filename --no-filename --column --nocolumn --after-context= " +
    "--before-context= --context=? --print0 --pager=execute --nopager --heading --noheading --break --nobreak --group " +
    "--nogroup --color --nocolor --colour --nocolour --flush --sort-files --show-types --files-with-matches " +
    "--files-without-matches --count --ignore-dir= --ignore-directory= --ignore-file= --noignore-dir= --recurse --no-recurse " +
    `--follow --nofollow --type= --known-types --help-types --type-set= --type-add= --type-del= --noenv --dump ${about}`,
  operands: (parsed) =>
    parsed.has("-f", "-g", "--match", "--help-types", "--dump") ? "search*" : "text search*",
  implied: "search .",
  search: (parsed) => ({ ...everything, links: parsed.has("--follow") }),
  check: (parsed, record) => {
    if (!parsed.has("--noenv")) record.effect("project");
  },
};

/** Shows file names of the whole machine. */
const locate: ProgramSpec = {
  options:
    "-AbceiLPSpqrwHN0 -d=read -l= -n= --all --basename --count --database=read --existing --follow --nofollow --ignore-case " +
    "--limit= --literal --null --null-bytes --print0 --statistics --quiet --regexp= --regex --wholename --wholepath " +
    about,
  operands: "text*",
  check: (_reading, record) => record.impliedPath("/", "name"),
};

export const search: ProgramTable = {
  "grep|egrep|fgrep|ggrep": grepSpec(false),
  rgrep: grepSpec(true),
  "zgrep|zegrep|zfgrep|bzgrep|bzegrep|bzfgrep|xzgrep|xzegrep|xzfgrep|zstdgrep": zgrep,
  rg: ripgrep,
  ag,
  ack,
  find,
  "fd|fdfind": fd,
  "locate|plocate|mlocate|slocate|glocate": locate,
};
