import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { gitConfig } from "./git-config.ts";
import { changesShown, checkFormat, checkPretty, diffOptions } from "./git-options.ts";
import { log } from "./git-reading.ts";
import { reader } from "./git-arguments.ts";
import { firstWord, opaque, deviatesWith } from "./spec-builders.ts";

/** Options that make `branch` and `tag` list names; then the other words are patterns. */
const lists = "--contains --no-contains --merged --no-merged --points-at --list -l";
const listOptions =
  "-l --list --contains=? --no-contains=? --merged=? --no-merged=? --points-at=? --sort= --format= --color=? --no-color " +
  "--column=? --no-column -i --ignore-case --omit-empty";

const isList = (parsed: ParsedArguments): boolean => parsed.has(...lists.split(" "));

const overwritingBranch = deviatesWith("-d --delete -D -f --force -m --move -M -c --copy -C");
const overwritingTag = deviatesWith("-d --delete -f --force");

/** Lists names, or creates the given one. */
const branch: ProgramSpec = {
  options:
    `${listOptions} -v --verbose -vv -q --quiet -a --all -r --remotes --show-current --abbrev=? --no-abbrev -t!write ` +
    "--track=?!write --no-track!write -u=!write --set-upstream-to=!write --unset-upstream!write -d!write --delete!write " +
    "-D!write -m!write --move!write -M!write -c!write --copy!write -C!write -f!write --force!write --create-reflog!write " +
    "--recurse-submodules!write --edit-description!execute",
  operands: "text*",
  check(parsed, record) {
    checkFormat(parsed, record);
    overwritingBranch(parsed, record);
    if (parsed.operands.length > 0 && !isList(parsed)) record.effect("write");
  },
};

const tag: ProgramSpec = {
  options:
    `${listOptions} -n=? -a!write --annotate!write -s!execute --sign!execute --no-sign -u=!execute --local-user=!execute -f!write ` +
    "--force!write -d!write --delete!write -v!execute --verify!execute -m=!write --message=!write -F=read --file=read " +
    "-e!execute --edit!execute --cleanup= --create-reflog",
  operands: "text*",
  check(parsed, record) {
    checkFormat(parsed, record);
    overwritingTag(parsed, record);
    if (parsed.operands.length === 0 || isList(parsed) || parsed.has("-n")) return;
    record.effect("write");
    const isAnnotated = parsed.has("-a", "--annotate", "-s", "--sign", "-u", "--local-user");
    if (isAnnotated && !parsed.has("-m", "--message", "-F", "--file", "-d", "--delete"))
      record.effect("execute");
  },
};

const writes = (options: string, operands = "text*"): ProgramSpec => ({
  effects: "write",
  options,
  operands,
});

const remote: ProgramSpec = {
  options: "-v --verbose",
  bare: {},
  subcommands: {
    "get-url": { options: "--push --all", operands: "text" },
    show: {
      options: "-n",
      operands: "text*",
      check(parsed, record) {
        if (parsed.operands.length > 0 && !parsed.has("-n")) record.effect("network");
      },
    },
    add: {
      effects: "write",
      options: "-t= -m= -f!network --fetch!network --tags --no-tags --mirror=?",
      operands: "text text",
    },
    "rename|set-head|set-branches|set-url": writes(
      "-a!network --auto!network -d --delete --add --push --progress --no-progress",
    ),
    "remove|rm": writes(""),
    prune: { effects: "write network", options: "-n --dry-run", operands: "text*" },
    update: { effects: "write network", options: "-p --prune", operands: "text*" },
  },
};

const stashShow = reader({
  options: `${diffOptions} -u --include-untracked --only-untracked --no-include-untracked -c --cc`,
  // The setting stash.showPatch makes it show changed lines.
  shows: (parsed) => changesShown(parsed, true),
  check: checkPretty,
});

const stashPush: ProgramSpec = {
  effects: "write",
  options:
    "-k --keep-index --no-keep-index -S --staged -q --quiet -u --include-untracked --no-include-untracked -a --all -m= " +
    "--message= -p!execute --patch!execute --pathspec-from-file=read --pathspec-file-nul",
  operands: "write*",
};

const stash: ProgramSpec = firstWord(
  {
    list: log,
    show: stashShow,
    "push|save": stashPush,
    "pop|apply": { effects: "write project", options: "--index -q --quiet", operands: "text" },
    drop: { effects: "delete", options: "-q --quiet", operands: "text" },
    clear: { effects: "delete" },
    branch: { effects: "write project", operands: "text text" },
    "create|store": writes("-m= --message= -q --quiet"),
  },
  { ...stashPush, operands: "" },
);

const reflog: ProgramSpec = firstWord(
  {
    show: log,
    "expire|delete": {
      effects: "delete",
      options:
        "--expire= --expire-unreachable= --all --single-worktree --stale-fix --updateref --rewrite -n --dry-run --verbose",
      operands: "text*",
    },
    exists: { operands: "text" },
    list: {},
  },
  log,
);

const worktree: ProgramSpec = {
  subcommands: {
    list: { options: "-v --verbose --porcelain -z --expire=" },
    add: {
      effects: "write project",
      options:
        "-f --force -b= -B= -d --detach --checkout --no-checkout --lock --reason= --orphan -q --quiet --track --no-track " +
        "--guess-remote --no-guess-remote",
      operands: "write text",
    },
    "lock|unlock": writes("--reason=", "name*"),
    move: { effects: "write", options: "-f --force", operands: "delete write" },
    remove: { effects: "delete", options: "-f --force", operands: "delete" },
    prune: { effects: "delete", options: "-n --dry-run -v --verbose --expire=" },
    repair: writes("", "write*"),
  },
};

const submodule: ProgramSpec = {
  options: "-q --quiet --cached",
  bare: {},
  subcommands: {
    status: { options: "--cached --recursive", operands: "name*" },
    summary: reader({ options: "--cached --files -n= --summary-limit= --for-status" }),
    init: writes("", "name*"),
    "sync|deinit|absorbgitdirs": writes("-f --force --all --recursive", "name*"),
    "set-branch|set-url": writes("-b= --branch= -d --default"),
    update: {
      effects: "network write project",
      options:
        "--init --remote -N --no-fetch --recommend-shallow --no-recommend-shallow -f --force --checkout --merge --rebase " +
        "--recursive --single-branch --no-single-branch --progress --depth= -j= --jobs= --filter= --reference=read",
      operands: "name*",
    },
    add: {
      effects: "network write project",
      options: "-b= --branch= -f --force --name= --reference=read --depth= --progress",
      operands: "unknown* write",
    },
    // Runs a shell line in each submodule.
    foreach: {
      effects: "execute",
      read: (words, record) => {
        const line = words.map(({ text }) => text).filter((text) => !text.startsWith("--"));
        record.scripts.push(line.join(" "));
        record.fail("its arguments are not analysed");
      },
    },
  },
};

const noted = reader({ options: "" });

const notes: ProgramSpec = {
  options: "--ref=",
  bare: noted,
  subcommands: {
    "list|show|get-ref": noted,
    "add|append|edit": {
      effects: "write",
      options:
        "-f --force --allow-empty -m= --message= -F=read --file=read -C= --reuse-message= -c=!execute",
      operands: "text",
      check(parsed, record) {
        const isGiven = parsed.has("-m", "--message", "-F", "--file", "-C", "--reuse-message");
        if (!isGiven) record.effect("execute");
      },
    },
    "copy|merge": writes("-f --force -v -q -s= --strategy= --commit --abort"),
    "remove|prune": { effects: "delete", options: "-n -v --ignore-missing", operands: "text*" },
  },
};

const bisect: ProgramSpec = {
  subcommands: {
    "log|terms": { options: "--term-good --term-old --term-bad --term-new" },
    "start|good|bad|old|new|skip|reset": {
      effects: "write project",
      options: "--term-old= --term-good= --term-new= --term-bad= --no-checkout --first-parent",
      operands: "text*",
    },
    replay: { effects: "write project", operands: "read" },
    run: { effects: "write project execute", operands: "command", style: "posix" },
    "visualize|view": opaque("execute"),
  },
};

const symbolicRef: ProgramSpec = {
  options: "-q --quiet --short --recurse --no-recurse -d!write --delete!write -m=",
  operands: "text text",
  check({ operands }: ParsedArguments, record: Recorder) {
    if (operands.length > 1) record.effect("write");
  },
};

const bundle: ProgramSpec = {
  subcommands: {
    create: reader({
      effects: "write",
      options:
        "-q --quiet --progress --all-progress --version= --all --branches=? --tags=? --since=",
    }),
    "verify|list-heads": { options: "-q --quiet", operands: "read text*" },
    unbundle: writes("--progress", "read text*"),
  },
};

/** Commands that read or write, depending on their arguments. */
export const readingOrWritingCommands: Readonly<Record<string, ProgramSpec>> = {
  branch,
  tag,
  remote,
  stash,
  config: gitConfig,
  reflog,
  worktree,
  submodule,
  notes,
  bisect,
  "symbolic-ref": symbolicRef,
  bundle,
  "sparse-checkout": {
    subcommands: {
      list: {},
      "init|set|add|reapply|disable": writes(
        "--cone --no-cone --sparse-index --no-sparse-index --skip-checks --stdin",
      ),
    },
  },
  // `diff` shows files of `.git/rr-cache`, which are not checked and may be links.
  rerere: firstWord({ "status|remaining": {} }, writes("")),
  replace: {
    options:
      "-l --list --format= --raw -d!write --delete!write -f!write --force!write -e!execute --edit!execute -g!write",
    operands: "text*",
    check(parsed, record) {
      if (parsed.operands.length > 0 && !parsed.has("-l", "--list")) record.effect("write");
    },
  },
};
