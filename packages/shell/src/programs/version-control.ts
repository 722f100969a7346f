import { fixedWord } from "../parse/word.ts";
import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ProgramTable, ParsedArguments } from "../arguments/program-spec.ts";
import { forges } from "./forges.ts";
import { opaque } from "./spec-builders.ts";

const lfsWrites = (options: string, operands = "text*"): ProgramSpec => ({
  effects: "write",
  options,
  operands,
});

/** Also as `git lfs`. */
export const gitLfs: ProgramSpec = {
  options: "-v --version",
  bare: {},
  subcommands: {
    // It runs itself as a filter, and writes below .git/lfs.
    "ls-files|status": {
      effects: "write",
      widenable: true,
      options:
        "-l --long -s --size -d --debug -a --all --deleted -I= -X= --include= --exclude= -n --name-only -p --porcelain -j --json",
      operands: "text*",
    },
    version: {},
    env: { effects: "environment" },
    "track|untrack": lfsWrites(
      "-l --lockable --not-lockable -v --verbose -d --dry-run --filename --no-modify-attrs --no-excluded --json",
    ),
    "fetch|pull|push|locks|lock|unlock": {
      effects: "network write",
      options:
        "-I= -X= --include= --exclude= -a --all -r --recent -p --prune -d --dry-run -n --json -f --force --verify --local --remote=",
      operands: "text*",
    },
    "checkout|prune|dedup|fsck": lfsWrites(
      "-f --force -d --dry-run -v --verbose --pointers --objects",
    ),
    "install|uninstall|update|migrate|clean|smudge|filter-process|ext|merge-driver":
      opaque("write execute"),
  },
};

/** The settings of a Mercurial repository define aliases, hooks and extensions, which any command may run. */
const hgOptions =
  "-R=enter --repository=enter --cwd=enter -y --noninteractive -q --quiet -v --verbose --config=execute --debug --encoding= " +
  "--traceback --time --pager= --color=";

const hgCommand = (effects: string, operands: string): ProgramSpec => ({
  effects,
  options:
    `${hgOptions} -r= --rev= -c= --change= -m -a -n -u -i -d -l= --limit= -p --patch -g --git --stat -G --graph -T= --template= -b= ` +
    "-A -M -X= --exclude= -I= --include= --all --no-status --rev-range= -f -k= --keyword= --user= --date= --follow",
  operands,
});

const hg: ProgramSpec = {
  options: `${hgOptions} --version`,
  bare: { effects: "project" },
  subcommands: {
    "status|st|log|diff|annotate|blame|cat|branch|branches|tags|heads|parents|identify|id|summary|files|manifest|root|paths|grep|tip|bookmarks|bisect|config|showconfig":
      hgCommand("project", "read*"),
    "add|commit|ci|update|up|checkout|revert|merge|rebase|graft|import|export|addremove|forget|move|mv|rename|copy|cp|remove|rm|tag|shelve|unshelve|strip|backout|histedit|phase|resolve|rollback|init|archive|bundle|unbundle|purge|amend|uncommit":
      opaque("write project"),
    "pull|push|clone|incoming|in|outgoing|out|serve|email|fetch": opaque("network write project"),
  },
};

const isAddress = (text: string): boolean => /^(?:[a-z][a-z\d+.-]*:\/\/|\^\/)/i.test(text);

/** URLs, and revisions other than those of the working copy, come from the server. */
function checkServer(parsed: ParsedArguments, record: Recorder): void {
  const revisions = parsed.values("-r", "--revision", "-c", "--change");
  const isLocal = revisions.every((text) => /^(?:BASE|WORKING)(?::(?:BASE|WORKING))?$/i.test(text));
  const address = parsed.operands.find(({ text }) => isAddress(text));
  if (!isLocal) record.effect("network");
  if (address) record.host(address);
}

const svnOptions =
  "--username= --password= --no-auth-cache --non-interactive --force-interactive --trust-server-cert " +
  "--trust-server-cert-failures= --config-dir=execute --config-option=execute";

const svnRead = (options: string): ProgramSpec => ({
  options: `${svnOptions} ${options}`,
  operands: "search*",
  implied: "search .",
  check: (parsed, record) => {
    // On its first run it creates this folder for its settings.
    record.path({ ...fixedWord("~/.subversion"), isTilde: true }, "write");
    checkServer(parsed, record);
  },
});

const svnNames = (options: string): ProgramSpec => ({
  ...svnRead(options),
  operands: "name*",
  implied: "name .",
});

const svn: ProgramSpec = {
  options: `${svnOptions} --version -q --quiet --help`,
  bare: {},
  subcommands: {
    "status|stat|st": svnNames(
      "-u!network --show-updates!network -v --verbose -N --non-recursive --depth= -q --quiet --no-ignore --ignore-externals --xml --incremental --cl=",
    ),
    info: svnNames(
      "-r= --revision= -R --recursive --depth= --xml --incremental --cl= --show-item= --no-newline",
    ),
    "diff|di": svnRead(
      "-r= --revision= -c= --change= --old=unknown --new=unknown -N --depth= --diff-cmd=execute --internal-diff -x=unknown " +
        "--extensions=unknown --no-diff-added --no-diff-deleted --ignore-properties --properties-only --show-copies-as-adds " +
        "--notice-ancestry --summarize --cl= --force --xml --git --patch-compatible",
    ),
    "log|list|ls|cat|blame|praise|annotate|ann|propget|pget|pg|proplist|plist|pl|mergeinfo":
      opaque("network"),
    "checkout|co|update|up|commit|ci|export|switch|sw|merge|import|copy|cp|move|mv|rename|ren|delete|del|remove|rm|mkdir|lock|unlock|relocate":
      opaque("network write"),
    "add|revert|resolve|resolved|cleanup|changelist|cl|patch|propset|pset|ps|propdel|pdel|pd|upgrade":
      opaque("write"),
    "propedit|pedit|pe": opaque("write execute"),
    "help|?|h": { operands: "text*" },
  },
};

/** Every command first snapshots the working copy, and settings of the repository can name programs. */
const jjOptions =
  "-R=enter --repository=enter --ignore-working-copy --ignore-immutable --at-operation= --at-op= --debug --color= --quiet " +
  "--no-pager --config=execute --config-toml=execute --config-file=execute";

const jjRead: ProgramSpec = {
  effects: "write project",
  options: `${jjOptions} -r= --revisions= --revision= -n= --limit= -p --patch -s --summary --stat --git --types --name-only --color-words --context= -T= --template= --no-graph --reversed --from= --to= -f= -t= --tool=execute -a --all`,
  operands: "text*",
};

const jj: ProgramSpec = {
  options: `${jjOptions} -V --version`,
  bare: jjRead,
  subcommands: {
    "status|st|log|diff|show|interdiff|evolog": jjRead,
    file: {
      subcommands: { "list|show|annotate": jjRead, "track|untrack|chmod": opaque("write project") },
    },
    "bookmark|b|branch": {
      subcommands: {
        "list|l": jjRead,
        "create|c|set|s|delete|d|forget|f|move|m|rename|r|track|t|untrack": opaque("write project"),
      },
    },
    "new|commit|ci|describe|desc|edit|abandon|rebase|squash|split|restore|undo|redo|op|operation|workspace|resolve|duplicate|absorb|parallelize|next|prev|sparse|tag|backout|revert|simplify-parents|init|metaedit|sign|unsign":
      opaque("write project"),
    git: opaque("network write project"),
    "config|util|fix|run|diffedit": opaque("write execute"),
  },
};

export const versionControl: ProgramTable = { ...forges, hg, svn: svn, jj, "git-lfs": gitLfs };
