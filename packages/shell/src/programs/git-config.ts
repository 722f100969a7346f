import type { Recorder } from "../grammar/recorder.ts";
import type { ProgramSpec, Reading } from "../grammar/spec.ts";
import { settingNamed } from "../git/config-file.ts";
import { isInert } from "../git/settings.ts";
import { fixedWord } from "../parse/word.ts";
import { firstWord } from "./recipes.ts";

/** Sections in which no setting is a password or token. A remote may have one in its URL, which `git remote -v` shows too. */
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

/** `^alias` matches nothing of another section. */
const isPattern = (text: string): boolean => {
  const section = /^\^([a-z]+)(?:\\?\.[^|()]*)?$/.exec(text)?.[1];
  return section !== undefined && withoutSecrets.has(section);
};

function reads(reading: Reading, isKnown: (text: string) => boolean, record: Recorder): void {
  if (reading.has("--name-only")) return;
  const [name] = reading.operands;
  if (!name || name.known !== "fixed" || !isKnown(name.text))
    record.fail("git's settings may hold passwords and tokens");
}

function sets(reading: Reading, record: Recorder): void {
  const [name, value] = reading.operands;
  record.effect("write");
  if (reading.has("--system")) record.effect("system");
  if (reading.has("--global"))
    record.path({ ...fixedWord("~/.gitconfig"), isTilde: true }, "write");
  for (const file of reading.values("-f", "--file")) record.impliedPath(file, "write");
  const setting = name?.known === "fixed" ? settingNamed(name.text, value?.text ?? null) : null;
  // What it names is run by other commands later.
  if (setting === null || (value && !isInert(setting))) record.effect("execute");
}

/** The old form: options say what is done, and one word alone is read. */
const plain: ProgramSpec = {
  options:
    `${commonOptions} --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool -l --list --add --replace-all ` +
    "--unset --unset-all --rename-section --remove-section -e!execute --edit!execute",
  operands: "text*",
  check(reading, record) {
    if (reading.has("-l", "--list")) return reads(reading, () => false, record);
    if (reading.has("--get-regexp")) return reads(reading, isPattern, record);
    // An error message shows a value that is no colour.
    const gets = ["--get", "--get-all", "--get-urlmatch", "--get-color", "--get-colorbool"];
    if (reading.has(...gets)) return reads(reading, isName, record);
    const changes = [
      "--add",
      "--replace-all",
      "--unset",
      "--unset-all",
      "--rename-section",
      "--remove-section",
    ];
    if (reading.has(...changes) || reading.operands.length > 1) return sets(reading, record);
    reads(reading, isName, record);
  },
};

const verb = (
  options: string,
  check: (reading: Reading, record: Recorder) => void,
): ProgramSpec => ({
  options: `${commonOptions} ${options}`,
  operands: "text*",
  check,
});

export const gitConfig: ProgramSpec = firstWord(
  {
    list: verb("", (reading, record) => reads(reading, () => false, record)),
    get: verb("", (reading, record) =>
      reads(reading, reading.has("--regexp") ? isPattern : isName, record),
    ),
    "set|unset|rename-section|remove-section": verb("--append", sets),
    edit: { effects: "write execute", options: commonOptions },
  },
  plain,
);
