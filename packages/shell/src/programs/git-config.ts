import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { settingNamed } from "../git/config-file.ts";
import { isInert } from "../git/setting-risk.ts";
import { fixedWord } from "../parse/word.ts";
import { firstWord } from "./spec-builders.ts";

/** Sections without passwords or tokens. The URL of a remote may contain one, but `git remote -v` shows it too. */
const withoutSecrets = new Set(
  (
    "user author committer core init remote branch pull push fetch merge rebase diff log status commit tag color alias column " +
    "submodule extensions gpg format rerere advice grep blame i18n gc pack index feature safe stash worktree help pager " +
    "maintenance checkout clone interactive"
  ).split(" "),
);

const commonOptions =
  "--global --system --local --worktree -f=read --file=read --blob= --type= --no-type --bool --int --bool-or-int --bool-or-str " +
  "--path --expiry-date -z --null --name-only --show-names --show-origin --show-scope --includes --no-includes --default= " +
  "--fixed-value --all --value= --regexp --url= --comment=";

const isName = (text: string): boolean => {
  const section = settingNamed(text, null)?.section;
  return section !== undefined && withoutSecrets.has(section);
};

/** `^alias` matches no other section. */
const isPattern = (text: string): boolean => {
  const section = /^\^([a-z]+)(?:\\?\.[^|()]*)?$/.exec(text)?.[1];
  return section !== undefined && withoutSecrets.has(section);
};

function reads(
  parsed: ParsedArguments,
  isKnown: (text: string) => boolean,
  record: Recorder,
): void {
  if (parsed.has("--name-only")) return;
  const [name] = parsed.operands;
  if (!name || name.known !== "fixed" || !isKnown(name.text))
    record.fail("git's settings may hold passwords and tokens");
}

function sets(parsed: ParsedArguments, record: Recorder): void {
  const [name, value] = parsed.operands;
  record.effect("write");
  if (parsed.has("--system")) record.effect("system");
  if (parsed.has("--global")) record.path({ ...fixedWord("~/.gitconfig"), isTilde: true }, "write");
  for (const file of parsed.values("-f", "--file")) record.impliedPath(file, "write");
  const setting = name?.known === "fixed" ? settingNamed(name.text, value?.text ?? null) : null;
  // Other commands may run what the setting names.
  if (setting === null || (value && !isInert(setting))) record.effect("execute");
}

/** The old syntax: options select the operation, and a single name is read. */
const plain: ProgramSpec = {
  options:
    `${commonOptions} --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool -l --list --add --replace-all ` +
    "--unset --unset-all --rename-section --remove-section -e!execute --edit!execute",
  operands: "text*",
  check(parsed, record) {
    if (parsed.has("-l", "--list")) return reads(parsed, () => false, record);
    if (parsed.has("--get-regexp")) return reads(parsed, isPattern, record);
    // An error message shows a value that is not a colour.
    const gets = ["--get", "--get-all", "--get-urlmatch", "--get-color", "--get-colorbool"];
    if (parsed.has(...gets)) return reads(parsed, isName, record);
    const changes = [
      "--add",
      "--replace-all",
      "--unset",
      "--unset-all",
      "--rename-section",
      "--remove-section",
    ];
    if (parsed.has(...changes) || parsed.operands.length > 1) return sets(parsed, record);
    reads(parsed, isName, record);
  },
};

const verb = (
  options: string,
  check: (parsed: ParsedArguments, record: Recorder) => void,
): ProgramSpec => ({
  options: `${commonOptions} ${options}`,
  operands: "text*",
  check,
});

export const gitConfig: ProgramSpec = firstWord(
  {
    list: verb("", (parsed, record) => reads(parsed, () => false, record)),
    get: verb("", (parsed, record) =>
      reads(parsed, parsed.has("--regexp") ? isPattern : isName, record),
    ),
    "set|unset|rename-section|remove-section": verb("--append", sets),
    edit: { effects: "write execute", options: commonOptions },
  },
  plain,
);
