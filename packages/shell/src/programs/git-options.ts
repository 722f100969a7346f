import type { Recorder } from "../arguments/recorder.ts";
import type { ParsedArguments } from "../arguments/program-spec.ts";
import { takeFile, type Shows } from "./git-arguments.ts";
import { plainValues } from "./spec-builders.ts";

// An option whose value must be attached with `=` is written as optional: it does not take the next word.

/** Options that select the compared files and the format of the diff. */
export const diffOptions =
  "-p -u --patch -s --no-patch -U=? --unified=? --output-indicator-new= --output-indicator-old= --output-indicator-context= " +
  "--raw --patch-with-raw --indent-heuristic --no-indent-heuristic --minimal --patience --histogram --anchored= " +
  "--diff-algorithm= --stat=? --stat-width= --stat-name-width= --stat-count= --stat-graph-width= --compact-summary " +
  "--no-compact-summary --numstat --shortstat -X=? --dirstat=? --cumulative --dirstat-by-file=? --summary --patch-with-stat " +
  "-z --name-only --name-status --submodule=? --color=? --no-color --color-moved=? --no-color-moved --color-moved-ws= " +
  "--no-color-moved-ws --word-diff=? --word-diff-regex= --color-words=? --no-renames --rename-empty --no-rename-empty --check " +
  "--ws-error-highlight= --full-index --no-full-index --binary --abbrev=? --no-abbrev -B=? --break-rewrites=? -M=? " +
  "--find-renames=? -C=? --find-copies=? --find-copies-harder -D --irreversible-delete -l= --diff-filter= -S= -G= " +
  "--find-object= --pickaxe-all --pickaxe-regex -O=read --skip-to= --rotate-to= -R --relative=? --no-relative -a --text " +
  "--ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w --ignore-all-space --ignore-blank-lines -I= " +
  "--ignore-matching-lines= --inter-hunk-context= -W --function-context --no-function-context --exit-code --quiet " +
  "--ext-diff!execute --no-ext-diff --textconv!execute --no-textconv --ignore-submodules=? --src-prefix= --dst-prefix= " +
  "--line-prefix= --no-prefix --default-prefix --ita-invisible-in-index --ita-visible-in-index --output=write";

/** Options of commands that walk commits. `-r` and `-t` are options for trees. */
export const revisionOptions =
  "-n= -# --max-count= --skip= --since= --after= --since-as-filter= --until= --before= --author= --committer= --grep-reflog= " +
  "--grep= --all-match --invert-grep -i --regexp-ignore-case --basic-regexp -E --extended-regexp -F --fixed-strings -P " +
  "--perl-regexp --remove-empty --merges --no-merges --min-parents=? --max-parents=? --no-min-parents --no-max-parents " +
  "--first-parent --exclude-first-parent-only --not --all --branches=? --tags=? --remotes=? --glob= --exclude= " +
  "--exclude-hidden= --reflog --alternate-refs!execute --single-worktree --ignore-missing --bisect --cherry-mark --cherry-pick " +
  "--left-only --right-only --cherry -g --walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history " +
  "--dense --sparse --simplify-merges --ancestry-path=? --date-order --author-date-order --topo-order --reverse --no-walk=? " +
  "--do-walk --parents --children --left-right --graph --no-graph --show-linear-break=? --count --timestamp --date= " +
  "--relative-date --missing=?";

/** Options for the format of commits. */
export const prettyOptions =
  "--pretty=? --format=? --abbrev-commit --no-abbrev-commit --oneline --encoding= --expand-tabs=? --no-expand-tabs --notes=? " +
  "--no-notes --show-notes=? --standard-notes --no-standard-notes --show-signature!execute --no-show-signature";

/** Options of log, show and similar commands. `--remerge-diff` writes objects, and is not listed. */
export const logOptions =
  `${diffOptions} ${revisionOptions} ${prettyOptions} -q -m -c --cc -t -r -L= --follow --no-decorate --decorate=? ` +
  "--decorate-refs= --decorate-refs-exclude= --clear-decorations --source --use-mailmap --mailmap --no-mailmap --no-use-mailmap " +
  "--full-diff --log-size --no-diff-merges --dd --combined-all-paths --root --diff-merges=";

const patchOptions =
  "-p -u --patch -U --unified --patch-with-raw --patch-with-stat -c --cc --dd -L -W --function-context --word-diff " +
  "--word-diff-regex --color-words --binary --check -S -G";
const summaryOptions =
  "-s --no-patch --stat --numstat --shortstat --dirstat -X --dirstat-by-file --cumulative --summary --compact-summary --raw " +
  "--name-only --name-status --quiet";

/** Whether changed lines are or may be shown. */
export function showsPatch(parsed: ParsedArguments, isDefault: boolean): boolean {
  if (parsed.has(...patchOptions.split(" "))) return true;
  return isDefault && !parsed.has(...summaryOptions.split(" "));
}

/** What a command with diff options shows. `--relative` excludes other folders. */
export function changesShown(parsed: ParsedArguments, isDefault: boolean): Shows {
  if (!showsPatch(parsed, isDefault)) return "names";
  const isBelow = parsed.has("--relative") && !parsed.has("--no-relative");
  return isBelow && parsed.values("--relative").length === 0 ? "below" : "changes";
}

/** `-L 1,5:file` and `-L :function:file` show a part of a file. */
function takeRanges(parsed: ParsedArguments, record: Recorder): void {
  for (const range of parsed.values("-L"))
    for (const { index } of range.matchAll(/:/g)) takeFile(range.slice(index + 1), "read", record);
}

/** An unknown strategy is a program, `git-merge-NAME`. */
export const ownStrategies = plainValues(
  /^(?:ort|recursive|resolve|octopus|ours|subtree)$/,
  "-s",
  "--strategy",
);

/** `diff` runs git in each submodule, with the settings that the submodule has. */
export const plainSubmodules = plainValues(/^(?:short|log)$/, "--submodule");

/** A remerge writes objects. Formats can run gpg. */
export function checkPretty(parsed: ParsedArguments, record: Recorder): void {
  takeRanges(parsed, record);
  plainSubmodules(parsed, record);
  if (parsed.values("--diff-merges").some((value) => /^r/i.test(value)))
    record.fail("--diff-merges may merge again, which writes");
  checkFormat(parsed, record);
}

/** `%G?` and `%(signature)` run gpg. */
export function checkFormat(parsed: ParsedArguments, record: Recorder): void {
  const formats = parsed.values("--pretty", "--format", "--sort", "--group");
  if (formats.some((format) => /%[-+ ]?G|signature/.test(format))) record.effect("execute");
}
