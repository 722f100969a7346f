import type { SearchScope } from "../line-facts.ts";
import { optionTable, readOptions } from "../arguments/options.ts";
import { readCommand } from "../arguments/read-command.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";
import { withFound } from "./find.ts";

const spec: ProgramSpec = {
  options:
    "-HIusigFalLp0qhV1 -d= -E= -t= -e= -S= -o= -c= -j= -C=enter --hidden --no-hidden --no-ignore --ignore --no-ignore-vcs " +
    "--no-ignore-parent --no-global-ignore-file --no-require-git --unrestricted --case-sensitive --ignore-case --glob " +
    "--regex --fixed-strings --and= --absolute-path --list-details --follow --no-follow --full-path --print0 --max-depth= " +
    "--maxdepth= --min-depth= --exact-depth= --exclude= --prune --type= --extension= --size= --changed-within= " +
    "--change-newer-than= --newer= --changed-after= --changed-before= --change-older-than= --older= --owner= --batch-size= " +
    "--ignore-file=read --color= --threads= --max-results= --quiet --has-results --show-errors --base-directory=enter " +
    "--path-separator= --search-path=name --strip-cwd-prefix=? --one-file-system --mount --xdev --format= --hyperlink=? " +
    "--ignore-contain= --relative-path --help --version",
  operands: (parsed) => `text ${kindOf(parsed)}*`,
  implied: (parsed) => (parsed.has("--search-path") ? null : `${kindOf(parsed)} .`),
  search: (parsed) => ({ ...scopeOf(parsed), namesOnly: true }),
};

const kindOf = (parsed: ParsedArguments): string =>
  parsed.has("-L", "--follow") ? "search" : "name";

function scopeOf(parsed: ParsedArguments): SearchScope {
  const isFile = parsed.values("-t", "--type").every((type) => /^f(?:ile)?$/.test(type));
  return {
    hidden: parsed.has("-H", "--hidden", "-u", "--unrestricted", "--ignore-file"),
    ignored:
      parsed.has("-I", "-u", "--unrestricted") ||
      parsed.options.some(({ name }) => name.startsWith("--no-ignore")),
    links: parsed.has("-L", "--follow") || !isFile || !parsed.has("-t", "--type"),
    excludes: parsed.values("-E", "--exclude").filter((glob) => !/[/!]|\s$/.test(glob)),
    includes: parsed.values("-e", "--extension").map((ending) => `*.${ending.replace(/^\.+/, "")}`),
  };
}

const runners = new Set(["-x", "--exec", "-X", "--exec-batch"]);

/** Everything after `-x` up to `;` is a command, which receives the found files. */
export const fd: ProgramSpec = {
  read(words, record) {
    const { own, commands } = split(words);
    const parsed = readOptions(own, optionTable(spec.options ?? "", false), "gnu");
    const [, ...given] = parsed.operands;
    const named = [...given, ...searchPaths(parsed)];
    const below = { folders: named.length > 0 ? named : [fixedWord(".")], scope: scopeOf(parsed) };
    readCommand(spec, own, record);
    if (parsed.has("-l", "--list-details")) commands.push(["ls", "-ld", "{}"].map(fixedWord));
    const isMany = words.some(({ text }) => text === "-X" || text === "--exec-batch");
    for (const command of commands) {
      if (command.length === 0) return record.fail("the command that it runs is not complete");
      const isPlaced = command.some(({ text }) => placeholder.test(text));
      const whole = isPlaced ? command : [...command, fixedWord("{}")];
      record.commands.push(withFound(whole, below, { isMany, placeholder }));
    }
  },
};

/** `{}` is the path; `{/}`, `{//}`, `{.}` and `{/.}` are parts of it. */
const placeholder = /\{\/{0,2}\.?\}/;

function searchPaths(parsed: ParsedArguments): Word[] {
  return parsed.options.flatMap(({ name, value }) =>
    name === "--search-path" && value ? [value] : [],
  );
}

function split(words: readonly Word[]): { own: Word[]; commands: Word[][] } {
  const own: Word[] = [];
  const commands: Word[][] = [];
  let command: Word[] | null = null;
  for (const word of words) {
    if (command === null && runners.has(word.text)) {
      command = [];
      commands.push(command);
    } else if (command === null) own.push(word);
    else if (word.text === ";") command = null;
    else command.push(word);
  }
  return { own, commands };
}
