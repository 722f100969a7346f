import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import {
  changesShown,
  checkFormat,
  checkPretty,
  diffOptions,
  logOptions,
  prettyOptions,
  revisionOptions,
} from "./git-options.ts";
import { reader } from "./git-arguments.ts";

/** The hash of a blob shows its content, whatever the options are. */
const isHash = (text: string): boolean => /^[\da-f]{4,64}$/i.test(text);

export const log: ProgramSpec = reader({
  options: logOptions,
  shows: (parsed) => changesShown(parsed, false),
  check: checkPretty,
});

const diff: ProgramSpec = reader({
  options:
    `${diffOptions} --cached --staged --merge-base -0 -1 -2 -3 --base --ours --theirs --no-index --cc -c -m -q -r -t ` +
    "--diff-merges=",
  // If one of two paths is outside the repository, git compares files, so each word may be a file.
  shows(parsed) {
    if (parsed.has("--no-index")) return "everything";
    return changesShown(parsed, true);
  },
  check: checkPretty,
});

const show: ProgramSpec = reader({
  options: logOptions,
  shows(parsed) {
    const { operands } = parsed;
    const areFiles = operands.length > 0 && operands.every(({ text }) => /^[^:]*:[^:]/.test(text));
    if (areFiles) return "read";
    const isBlob = operands.some(({ text }) => isHash(text) || text.includes(":"));
    return isBlob ? "changes" : changesShown(parsed, true);
  },
  check: checkPretty,
});

/** Otherwise the first word is the pattern. */
const hasPattern = (parsed: ParsedArguments): boolean =>
  parsed.has("-e", "-f", "--and", "--or", "--not");

const grep: ProgramSpec = reader({
  options:
    "--cached --no-index --index --untracked --exclude-standard --no-exclude-standard " +
    "--no-recurse-submodules -v --invert-match -i --ignore-case -w --word-regexp -a --text -I --textconv!execute --no-textconv " +
    "-r --recursive --no-recursive --max-depth= -E --extended-regexp -G --basic-regexp -F --fixed-strings -P --perl-regexp -n " +
    "--line-number --column -h -H --full-name --no-full-name -l --files-with-matches --name-only -L --files-without-match -z " +
    "--null -o --only-matching -c --count --color=? --no-color --break --heading -C= -# --context= -B= --before-context= -A= " +
    "--after-context= --threads= -p --show-function -W --function-context -f=read -e= --and --or --not -q --quiet --all-match " +
    "-O=?!execute --open-files-in-pager=?!execute --ext-grep -m= --max-count=",
  shows(parsed) {
    if (parsed.has("--no-index"))
      return parsed.has("--exclude-standard") ? "untracked" : "everything";
    if (!parsed.has("--untracked")) return "below";
    return parsed.has("--no-exclude-standard") ? "everything" : "untracked";
  },
  skip: (parsed) => (hasPattern(parsed) ? 0 : 1),
});

const blame: ProgramSpec = reader({
  options:
    "--incremental -b --root --no-root --show-stats --progress --no-progress --score-debug -f --show-name -n --show-number -p " +
    "--porcelain --line-porcelain -c -t -l -s -e --show-email -w --ignore-rev= --ignore-revs-file=read --color-lines " +
    "--color-by-age --minimal --indent-heuristic --no-indent-heuristic -S=read --contents=read -C=? -M=? -L= --abbrev=? " +
    "--date= --since= --encoding= --first-parent --reverse --not -h",
  shows: "read",
});

const status: ProgramSpec = reader({
  options:
    "-v --verbose -s --short -b --branch --no-branch --show-stash --no-show-stash --ahead-behind --no-ahead-behind " +
    "--porcelain=? --long -z --null -u=? --untracked-files=? --ignored=? --ignore-submodules=? --column=? --no-column " +
    "--no-renames --renames --find-renames=? -M=?",
  // Twice verbose shows changes.
  shows: ({ options }) =>
    options.filter(({ name }) => /^-(?:v|-verbose)$/.test(name)).length > 1 ? "changes" : "names",
});

const lsFiles: ProgramSpec = reader({
  options:
    "-z -t -v -f -c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -k --killed --directory " +
    "--no-empty-directory --empty-directory --eol -u --unmerged --resolve-undo -x= --exclude= -X=read --exclude-from=read " +
    "--exclude-per-directory= --exclude-standard --full-name --recurse-submodules --error-unmatch --with-tree= --abbrev=? " +
    "--debug --deduplicate --sparse --format=",
});

const lsTree: ProgramSpec = reader({
  options:
    "-d -r -t -z -l --long --name-only --name-status --object-only --full-name --full-tree --format= --abbrev=?",
});

const catFile: ProgramSpec = reader({
  options:
    "-t -s -e -p --allow-unknown-type --use-mailmap --mailmap --no-mailmap --batch=? --batch-check=? --batch-command=? " +
    "--batch-all-objects --unordered --ordered --buffer --follow-symlinks --textconv!execute --filters!execute --path= -z -Z",
  shows(parsed) {
    const isContent = !parsed.has("-t", "-s", "-e") && !parsed.has("--batch-check");
    if (!isContent) return "names";
    const words = parsed.operands.filter(({ text }) => !/^(?:blob|tree|commit|tag)$/.test(text));
    const areFiles = words.length > 0 && words.every(({ text }) => /^[^:]*:[^:]/.test(text));
    return areFiles ? "read" : "changes";
  },
  check(parsed, record) {
    if (parsed.has("--batch", "--batch-command"))
      record.fail("which objects it shows is not known before it runs");
  },
});

const revParse: ProgramSpec = reader({
  options:
    "--keep-dashdash --stop-at-non-option --stuck-long --revs-only --no-revs --flags --no-flags --default= --prefix= --verify -q " +
    "--quiet --sq --short=? --not --abbrev-ref=? --symbolic --symbolic-full-name --all --branches=? --tags=? --remotes=? --glob=? " +
    "--exclude=? --exclude-hidden=? --disambiguate=? --local-env-vars --path-format= --git-dir --git-common-dir " +
    "--resolve-git-dir= --git-path= --show-toplevel --show-superproject-working-tree --shared-index-path --absolute-git-dir " +
    "--is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --show-cdup --show-prefix " +
    "--show-object-format=? --show-ref-format --since=? --after=? --until=? --before=? --abbrev=? --output-object-format=?",
});

/** It refreshes and writes the index, even with GIT_OPTIONAL_LOCKS=0. */
const describe: ProgramSpec = reader({
  options:
    "--contains --debug --all --tags --long --no-long --first-parent --abbrev=? --exact-match --candidates= --match= " +
    "--exclude= --always --dirty=?!write --broken=?!write",
});

const revList: ProgramSpec = reader({
  options: `${revisionOptions} ${prettyOptions} --quiet --header --no-object-names --object-names --objects --objects-edge --abbrev=? --in-commit-order --unpacked --use-bitmap-index --disk-usage=? --filter=? --no-filter --commit-header --no-commit-header --progress=? --full-diff -S= -G= --bisect-vars --bisect-all -z`,
  check: checkPretty,
});

const shortlog: ProgramSpec = reader({
  options: `${revisionOptions} -s --summary -e --email -n --numbered -c --committer=? -w=? --group= --no-group --format=? --pretty=?`,
  check: checkFormat,
});

const forEachRef: ProgramSpec = reader({
  options:
    "-s --shell -p --perl --python --tcl --count= --format= --color=? --no-color --exclude= --sort= --points-at= --merged=? " +
    "--no-merged=? --contains=? --no-contains=? --ignore-case --omit-empty --include-root-refs",
  check: checkFormat,
});

const names = (
  options: string,
  check?: (parsed: ParsedArguments, record: Recorder) => void,
): ProgramSpec => reader({ options, ...(check && { check }) });

const patches = (options: string, isDefault: boolean): ProgramSpec =>
  reader({
    options,
    shows: (parsed) => changesShown(parsed, isDefault),
    check: checkPretty,
  });

const comparedTrees = `${diffOptions} ${prettyOptions} -r -t -m -c --cc --root --always -v --no-commit-id --combined-all-paths --merge-base -q`;

/** Without a command it prints a list; with one it runs man, info or a browser. */
const help: ProgramSpec = {
  options:
    "-a --all -g --guides -c --config --no-external-commands --no-aliases --verbose --no-verbose --user-interfaces " +
    "--developer-interfaces -i!execute --info!execute -m!execute --man!execute -w!execute --web!execute",
  operands: "execute*",
};

const variable: ProgramSpec = {
  // `-l` lists all settings too, which may hold credentials.
  options: "",
  operands: "text",
};

/**
 * Prints to its output unless a file is named; `--remote` talks to another repository. Formats in files with the attribute
 * `export-subst` can run gpg.
 */
const archive: ProgramSpec = reader({
  effects: "execute",
  options:
    "--format= --prefix= -v --verbose -# --list -l --worktree-attributes --mtime= -o=write --output=write --add-file=read " +
    "--remote=host --exec=execute",
  shows: "changes",
});

const fastExport: ProgramSpec = reader({
  options:
    `${revisionOptions} --progress= --signed-tags= --tag-of-filtered-object= --reencode= --export-marks=write ` +
    "--import-marks=read --import-marks-if-exists=read --fake-missing-tagger --full-tree --use-done-feature --no-data " +
    "--refspec= --anonymize --anonymize-map= --reference-excluded-parents --show-original-ids --mark-tags -M=? -C=?",
  shows: "changes",
});

/** Commands that only read. */
export const readingCommands: Readonly<Record<string, ProgramSpec>> = {
  "log|whatchanged": log,
  diff,
  show,
  grep,
  "blame|annotate": blame,
  status,
  "ls-files": lsFiles,
  "ls-tree": lsTree,
  "cat-file": catFile,
  "rev-parse": revParse,
  describe,
  "rev-list": revList,
  shortlog,
  "for-each-ref": forEachRef,
  archive,
  "fast-export": fastExport,
  "diff-tree": patches(comparedTrees, false),
  "diff-index": patches(`${comparedTrees} --cached`, false),
  "diff-files": patches(`${comparedTrees} -0 -1 -2 -3 --base --ours --theirs`, false),
  "range-diff": patches(
    `${diffOptions} --creation-factor= --no-dual-color --left-only --right-only --notes=? --no-notes --diff-merges=`,
    true,
  ),
  "merge-base": names("-a --all --octopus --independent --is-ancestor --fork-point"),
  "name-rev": names(
    "--name-only --tags --refs= --exclude= --all --undefined --no-undefined --always",
  ),
  "show-ref": names(
    "--head --heads --branches --tags -d --dereference -s --hash=? --abbrev=? --verify -q --quiet --exists",
  ),
  "show-branch": names(
    "-a --all -r --remotes --current --topo-order --date-order --sparse --more=? --list --merge-base --independent " +
      "--no-name --sha1-name --topics -g=? --reflog=? --color=? --no-color",
  ),
  "check-ignore": names("-q --quiet -v --verbose -z -n --non-matching --no-index"),
  "check-attr": names("-a --all --cached -z --source="),
  "check-mailmap": names(""),
  "check-ref-format": names(
    "--branch --normalize --allow-onelevel --no-allow-onelevel --refspec-pattern --print",
  ),
  cherry: names("-v --verbose --abbrev=?"),
  "count-objects": names("-v --verbose -H --human-readable"),
  "verify-pack": names("-v --verbose -s --stat-only"),
  fsck: names(
    "-v --verbose --unreachable --dangling --no-dangling --tags --root --cache --reflogs --no-reflogs --full --no-full " +
      "--connectivity-only --strict --progress --no-progress --name-objects --lost-found!write",
  ),
  "patch-id": names("--stable --unstable --verbatim"),
  stripspace: names("-s --strip-comments -c --comment-lines"),
  "get-tar-commit-id": names(""),
  version: names("--build-options"),
  var: variable,
  help,
};
