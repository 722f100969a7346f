import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import type { Recorder } from "../arguments/recorder.ts";
import { settingNamed } from "../git/config-file.ts";
import { isInert } from "../git/setting-risk.ts";
import { ownStrategies } from "./git-options.ts";
import { takeRepository } from "./git-arguments.ts";
import { checks, opaque, plainValues, deviatesWith } from "./spec-builders.ts";

/** The first word is a repository. The default is the one of the branch. */
function firstRepository({ operands: [repository] }: ParsedArguments, record: Recorder): void {
  if (repository) takeRepository(repository, record);
}

/** Options of fetch and pull that overwrite branches or name other repositories. */
const turns = deviatesWith(
  "-f --force -u --update-head-ok --refmap --multiple -m --prefetch --set-upstream --recurse-submodules --server-option -o " +
    "-s --strategy -X --strategy-option --allow-unrelated-histories",
);

/** Options of push that overwrite or delete remote branches, push more branches, or skip hooks. */
const pushTurns = deviatesWith(
  "-f --force --force-with-lease -d --delete --prune --mirror --all --branches --no-verify -o --push-option --recurse-submodules",
);

/** The refspecs after the repository. */
function turnsBranches(isPlain: RegExp): NonNullable<ProgramSpec["check"]> {
  return ({ operands }, record) => {
    const other = operands.slice(1).find(({ text }) => !isPlain.test(text));
    if (other) record.deviate(`it names ${other.text}`);
  };
}

const fetchOptions =
  "-q --quiet -v --verbose --all --no-all -a --append --atomic --depth= --deepen= --shallow-since= --shallow-exclude= " +
  "--unshallow --update-shallow --negotiation-tip= --dry-run --write-fetch-head --no-write-fetch-head -f --force -k --keep " +
  "--multiple --auto-gc --no-auto-gc --auto-maintenance --no-auto-maintenance --prefetch -p --prune --prune-tags --no-tags -t " +
  "--tags --refmap= -j= --jobs= --recurse-submodules=? --no-recurse-submodules --set-upstream --progress --no-progress -o= " +
  "--server-option= --show-forced-updates --no-show-forced-updates -4 --ipv4 -6 --ipv6 --filter= --refetch --porcelain " +
  "--upload-pack=execute";

const fetch: ProgramSpec = {
  effects: "network write",
  widenable: true,
  options: `${fetchOptions} -u --update-head-ok -P -n -m`,
  operands: "text*",
  // A branch without a colon changes no branch of this repository.
  check: checks(firstRepository, turns, turnsBranches(/^[\w][\w./-]*$/)),
};

const pull: ProgramSpec = {
  effects: "network write project",
  widenable: true,
  options:
    `${fetchOptions} -n --stat --no-stat --log=? --no-log --signoff --squash --no-squash --commit --no-commit -e!execute ` +
    "--edit!execute --no-edit --cleanup= --ff --no-ff --ff-only -r=? --rebase=? --no-rebase --verify --autostash --no-autostash " +
    "-s= --strategy= -X= --strategy-option= -S=?!execute --gpg-sign=?!execute --no-gpg-sign --allow-unrelated-histories",
  operands: "text*",
  check: checks(
    firstRepository,
    turns,
    // It merges the named branch.
    turnsBranches(/^(?!)/),
    ownStrategies,
    // `interactive` opens an editor.
    plainValues(/^(?:true|false|merges)$/, "-r", "--rebase"),
  ),
};

const push: ProgramSpec = {
  effects: "network project",
  options:
    "-v --verbose -q --quiet --all --branches --mirror -d --delete --tags -n --dry-run --porcelain -f --force " +
    "--force-with-lease=? --no-force-with-lease --force-if-includes --recurse-submodules= --thin --no-thin -u --set-upstream " +
    "--progress --no-progress --prune --no-verify --verify --follow-tags --no-follow-tags --signed=?!execute --no-signed --atomic " +
    "-o= --push-option= -4 --ipv4 -6 --ipv6 --repo= --receive-pack=execute --exec=execute",
  operands: "text*",
  check(parsed, record) {
    firstRepository(parsed, record);
    pushTurns(parsed, record);
    // `+main` overwrites and `:main` deletes.
    const other = parsed.operands.slice(1).find(({ text }) => /^[+:]/.test(text));
    if (other) record.deviate(`it pushes ${other.text}`);
    for (const repository of parsed.options.filter(({ name }) => name === "--repo"))
      if (repository.value) takeRepository(repository.value, record);
  },
};

const clone: ProgramSpec = {
  effects: "network write",
  options:
    "-v --verbose -q --quiet --progress --no-progress --reject-shallow --no-reject-shallow -n --no-checkout --bare --mirror -l " +
    "--local --no-local --no-hardlinks -s --shared --recurse-submodules=? --recursive=? -j= --jobs= --template=load!execute " +
    "--reference=read --reference-if-able=read --dissociate -o= --origin= -b= --branch= --revision= -u=execute " +
    "--upload-pack=execute --depth= --shallow-since= --shallow-exclude= --single-branch --no-single-branch --tags --no-tags " +
    "--shallow-submodules --no-shallow-submodules --separate-git-dir=write -c= --config= --server-option= -4 --ipv4 -6 --ipv6 " +
    "--filter= --also-filter-submodules --remote-submodules --sparse --bundle-uri=host",
  operands: "text write",
  implied: "write .",
  check(parsed, record) {
    const [repository] = parsed.operands;
    if (!repository) return record.fail("no repository to clone is given");
    takeRepository(repository, record);
    for (const text of parsed.values("-c", "--config")) {
      const [name = "", value] = text.split(/=(.*)/su);
      const setting = settingNamed(name, value ?? null);
      if (setting === null || !isInert(setting)) record.effect("execute");
    }
  },
};

const lsRemote: ProgramSpec = {
  effects: "network",
  widenable: true,
  options:
    "-q --quiet -h --heads -b --branches -t --tags --refs --get-url --exit-code --sort= --symref -o= --server-option= " +
    "--upload-pack=execute --exec=execute",
  operands: "text*",
  check: firstRepository,
};

/** Commands that talk to other repositories. */
export const networkCommands: Readonly<Record<string, ProgramSpec>> = {
  fetch,
  pull,
  push,
  clone,
  "ls-remote": lsRemote,
  "fetch-pack|send-pack|http-fetch|http-push|remote-http|remote-https|remote-ext|remote-fd|imap-send|send-email|request-pull":
    opaque("network execute"),
  "upload-pack|receive-pack|upload-archive|http-backend|shell|daemon|instaweb|svn|p4|cvsimport|cvsserver|archimport":
    opaque("network execute"),
};
