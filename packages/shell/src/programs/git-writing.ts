import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { protectionOf } from "../protected-paths.ts";
import { diffOptions, ownStrategies, plainSubmodules } from "./git-options.ts";
import { reader } from "./git-arguments.ts";
import { opaque, deviatesWith } from "./spec-builders.ts";

const pathsFromFile = "--pathspec-from-file=read --pathspec-file-nul";

const add: ProgramSpec = {
  effects: "write",
  widenable: true,
  options:
    `${pathsFromFile} -n --dry-run -v --verbose -i!execute --interactive!execute -p!execute --patch!execute -e!execute ` +
    "--edit!execute -f --force -u --update --renormalize -N --intent-to-add -A --all --no-all --ignore-removal " +
    "--no-ignore-removal --refresh --ignore-errors --ignore-missing --sparse --chmod=",
  operands: "read*",
};

const commit: ProgramSpec = {
  // It runs hooks of the project.
  effects: "write project",
  widenable: true,
  options:
    `${pathsFromFile} -q --quiet -v --verbose -F=read --file=read --author= --date= -m= --message= -c=!execute ` +
    "--reedit-message=!execute -C= --reuse-message= --fixup= --squash= --reset-author --trailer= -s --signoff --no-signoff " +
    "-t=read --template=read -e!execute --edit!execute --no-edit --cleanup= --status --no-status -S=?!execute " +
    "--gpg-sign=?!execute --no-gpg-sign -a --all -i --include --interactive!execute -p!execute --patch!execute -o --only -n " +
    "--no-verify --verify --dry-run --short --branch --ahead-behind --porcelain --long -z --null --amend --no-post-rewrite -u=? " +
    "--untracked-files=? --allow-empty --allow-empty-message",
  operands: "name*",
  check(parsed, record) {
    if (parsed.has("-n", "--no-verify")) record.deviate("it skips the hooks");
    if (parsed.has("--amend")) record.deviate("it changes the last commit");
    if (opensEditor(parsed)) record.effect("execute");
  },
};

function opensEditor(parsed: ParsedArguments): boolean {
  if (parsed.values("--fixup").some((value) => value.includes(":"))) return true;
  return !parsed.has(
    ..."-m --message -F --file -C --reuse-message --no-edit --fixup --dry-run --short --porcelain --long".split(
      " ",
    ),
  );
}

/** The first word may be a branch or a file; the others are files, which are overwritten. */
function overwrites(options: string): ProgramSpec {
  return {
    effects: "write project",
    options,
    operands: ({ operands: [first] }) =>
      first && protectionOf(first.text) !== null ? "write*" : "name write*",
    check: deviatesWith("-f --force -B --orphan --overwrite-ignore --ignore-other-worktrees"),
  };
}

const checkout: ProgramSpec = overwrites(
  `${pathsFromFile} -b= -B= -l -d --detach --orphan= -t --track=? --no-track -f --force -q --quiet --progress --no-progress ` +
    "--ours --theirs -2 -3 -m --merge --conflict= -p!execute --patch!execute --ignore-skip-worktree-bits --guess --no-guess " +
    "--overlay --no-overlay --recurse-submodules=? --no-recurse-submodules --overwrite-ignore --no-overwrite-ignore " +
    "--ignore-other-worktrees",
);

const switchBranch: ProgramSpec = {
  effects: "write project",
  widenable: true,
  options:
    "-c= --create= -C= --force-create= --guess --no-guess --discard-changes -f --force -q --quiet --progress --no-progress " +
    "--recurse-submodules=? --no-recurse-submodules -m --merge --conflict= -d --detach -t --track=? --no-track --orphan= " +
    "--overwrite-ignore --no-overwrite-ignore --ignore-other-worktrees",
  operands: "text text",
  check(parsed, record) {
    if (parsed.has("-f", "--force", "--discard-changes", "-C", "--force-create", "-m", "--merge"))
      record.deviate("it discards changes");
  },
};

const restore: ProgramSpec = {
  effects: "write",
  options:
    `${pathsFromFile} -s= --source= -S --staged -W --worktree --ignore-unmerged --overlay --no-overlay -q --quiet --progress ` +
    "--no-progress --ours --theirs -2 -3 -m --merge --conflict= -p!execute --patch!execute --ignore-skip-worktree-bits " +
    "--recurse-submodules=? --no-recurse-submodules",
  operands: "write*",
};

const reset: ProgramSpec = {
  effects: "write",
  options:
    `${pathsFromFile} -q --quiet --no-refresh --refresh --mixed --soft --hard --merge --keep --recurse-submodules=? ` +
    "--no-recurse-submodules -p!execute --patch!execute -N --intent-to-add",
  operands: "name*",
  check: deviatesWith("--hard --merge --keep"),
};

const merge: ProgramSpec = {
  effects: "write project",
  options:
    "-n --stat --no-stat --summary --log=? --no-log --squash --no-squash --commit --no-commit -e!execute --edit!execute " +
    "--no-edit --cleanup= --ff --no-ff --ff-only --rerere-autoupdate --no-rerere-autoupdate --verify-signatures!execute " +
    "--no-verify-signatures -s= --strategy= -X= --strategy-option= -m= --message= -F=read --file=read --into-name= -v --verbose " +
    "-q --quiet --abort --quit --continue!execute --allow-unrelated-histories --progress --no-progress -S=?!execute " +
    "--gpg-sign=?!execute --no-gpg-sign --autostash --no-autostash --overwrite-ignore --signoff --no-signoff --no-verify --verify",
  operands: "text*",
  check: ownStrategies,
};

const rebase: ProgramSpec = {
  effects: "write project",
  options:
    "--onto= --keep-base --no-verify --verify -q --quiet -v --verbose -n --no-stat --stat --signoff --committer-date-is-author-date " +
    "--reset-author-date --ignore-date -C= --ignore-whitespace --whitespace= -f --force-rebase --no-ff --continue!execute --skip " +
    "--abort --quit --edit-todo!execute --show-current-patch --apply -m --merge -i!execute --interactive!execute " +
    "--rerere-autoupdate --no-rerere-autoupdate --empty= -k --keep-empty --no-keep-empty --autosquash --no-autosquash " +
    "--update-refs --no-update-refs -S=?!execute --gpg-sign=?!execute --no-gpg-sign --autostash --no-autostash -x=execute " +
    "--exec=execute -r=? --rebase-merges=? --no-rebase-merges --fork-point --no-fork-point -s= --strategy= -X= " +
    "--strategy-option= --root --reschedule-failed-exec --no-reschedule-failed-exec --reapply-cherry-picks " +
    "--no-reapply-cherry-picks",
  operands: "text text",
  check: ownStrategies,
};

const pick: ProgramSpec = {
  effects: "write project",
  options:
    "--quit --continue!execute --abort --skip --cleanup= -n --no-commit -e!execute --edit!execute --no-edit -s --signoff -m= " +
    "--mainline= --rerere-autoupdate --no-rerere-autoupdate --strategy= -X= --strategy-option= -S=?!execute " +
    "--gpg-sign=?!execute --no-gpg-sign -x --ff --allow-empty --allow-empty-message --keep-redundant-commits --empty= --reference",
  operands: "text*",
  check: ownStrategies,
};

const clean: ProgramSpec = {
  options:
    "-q --quiet -n --dry-run -f --force -i!execute --interactive!execute -d -e= --exclude= -x -X",
  operands: "name*",
  check(parsed, record) {
    if (!parsed.has("-n", "--dry-run")) record.effect("delete");
  },
};

const apply: ProgramSpec = {
  options:
    "--exclude= --include= -p= --no-add --stat --numstat --summary --check --index -N --intent-to-add --cached --apply -3 " +
    "--3way --ours --theirs --union --build-fake-ancestor=write -z -C= --whitespace= --ignore-space-change --ignore-whitespace " +
    "-R --reverse --unidiff-zero --reject --allow-overlap -v --verbose -q --quiet --inaccurate-eof --recount --directory= " +
    "--allow-empty",
  operands: "read*",
  check(parsed, record) {
    const isLook = parsed.has("--stat", "--numstat", "--summary", "--check");
    // A three-way merge writes objects, even in a dry run.
    if (!isLook || parsed.has("--apply", "-3", "--3way")) record.effect("write");
  },
};

const formatPatch: ProgramSpec = reader({
  options:
    `${diffOptions} -n -N --numbered --no-numbered -s --signoff --stdout --cover-letter --no-cover-letter --numbered-files ` +
    "--suffix= --start-number= -v= --reroll-count= --filename-max-length= --rfc=? --cover-from-description= " +
    "--subject-prefix= -o=write --output-directory=write -k --keep-subject --no-binary --zero-commit " +
    "--ignore-if-in-upstream --add-header= --to= --cc= --from=? --in-reply-to= --attach=? --inline=? --thread=? --no-thread " +
    "--signature= --no-signature --signature-file=read --base= --progress --creation-factor= " +
    "--root --no-base --no-to --no-cc --no-add-header --always --encode-email-headers --notes=? --no-notes -#",
  shows: "changes",
  check(parsed, record) {
    plainSubmodules(parsed, record);
    if (!parsed.has("--stdout")) record.effect("write");
  },
});

const hashObject: ProgramSpec = {
  options: "-t= -w!write --stdin --no-filters --path= --literally",
  operands: "read*",
};

const interpretTrailers: ProgramSpec = {
  // Settings can name commands that print the values.
  effects: "execute",
  options:
    "--in-place!write --trim-empty --where= --if-exists= --if-missing= --only-trailers --only-input --unfold --parse " +
    "--no-divider --trailer=",
  operands: "read*",
};

const only = (effects: string, options: string, operands = "text*"): ProgramSpec => ({
  effects,
  options,
  operands,
});

/** Commands that change the repository or the working tree. */
export const writingCommands: Readonly<Record<string, ProgramSpec>> = {
  "add|stage": add,
  commit,
  checkout,
  switch: switchBranch,
  restore,
  reset,
  merge,
  rebase,
  "cherry-pick|revert": pick,
  clean,
  apply,
  "format-patch": formatPatch,
  "hash-object": hashObject,
  "interpret-trailers": interpretTrailers,
  rm: {
    effects: "write",
    options: `${pathsFromFile} -n --dry-run -q --quiet --cached -f --force -r --ignore-unmatch --sparse`,
    operands: (given) => (given.has("--cached") ? "name*" : "delete*"),
  },
  mv: only("write", "-v --verbose -n --dry-run -f --force -k --sparse", "delete* write"),
  am: only(
    "write project",
    "-3 --3way --no-3way -q --quiet -s --signoff -u --utf8 --no-utf8 -k --keep --keep-non-patch -m --message-id --no-message-id " +
      "--keep-cr --no-keep-cr -c --scissors --no-scissors --quoted-cr= --whitespace= --ignore-space-change --ignore-whitespace " +
      "--directory= --exclude= --include= -C= -p= --patch-format= --reject --continue -r --resolved --skip --abort --quit " +
      "--show-current-patch=? --committer-date-is-author-date --ignore-date --rerere-autoupdate --empty= --no-verify " +
      "-i!execute --interactive!execute -S=?!execute --gpg-sign=?!execute",
    "read*",
  ),
  init: only(
    "write",
    "-q --quiet --bare --template=load!execute --separate-git-dir=write --object-format= --ref-format= -b= --initial-branch= " +
      "--shared=?",
    "write",
  ),
  "gc|repack|prune|prune-packed|pack-refs|pack-objects|multi-pack-index|commit-graph|unpack-objects|index-pack|update-server-info":
    only(
      "write",
      "-q --quiet --aggressive --auto --prune=? --no-prune --force --keep-largest-pack -a -A -d -f -F -l -n -v --all --no-progress " +
        "--verbose --dry-run --progress --expire=",
    ),
  maintenance: only("write network system", "--auto --schedule=? --quiet --task= --scheduler="),
  "update-ref|update-index|read-tree|write-tree|commit-tree|mktree|mktag|merge-tree|merge-file|merge-index|unpack-file|checkout-index":
    opaque("write"),
  "mailinfo|mailsplit|fmt-merge-msg|quiltimport|subtree|fast-import|bugreport|diagnose|fsmonitor--daemon":
    opaque("write"),
  // They run programs that settings or arguments name.
  "filter-branch|filter-repo|difftool|mergetool|for-each-repo|gui|citool|gitk|gitweb|credential|credential-store|credential-cache":
    opaque("execute"),
  "verify-commit|verify-tag": opaque("execute"),
};
