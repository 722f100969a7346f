import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ProgramTable, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord } from "../parse/word.ts";
import { opaque, deviatesWith } from "./spec-builders.ts";

const repositoryOption = "-R= --repo=";
const outputOptions = `${repositoryOption} --json= -q=jq --jq=jq -t= --template=`;
const webOption = "-w!execute --web!execute";

/** A rule applies to the repository of the current folder. */
function checkRepository(parsed: ParsedArguments, record: Recorder): void {
  for (const name of parsed.values("-R", "--repo"))
    record.deviate(`it uses the repository ${name}`);
  // A pull request or issue may be given by URL.
  const address = parsed.operands.find(({ text }) => /^[a-z]+:\/\//i.test(text));
  if (address) {
    record.host(address);
    record.deviate(`it uses ${address.text}`);
  }
}

/** Only reads from the server. */
const asks = (options: string, operands = "text"): ProgramSpec => ({
  effects: "network",
  widenable: true,
  options: `${outputOptions} ${options}`,
  operands,
  check: checkRepository,
});

/** Changes something on the server. */
const changes = (options: string, operands = "text*"): ProgramSpec => ({
  effects: "network",
  options: `${repositoryOption} ${options}`,
  operands,
});

const filters =
  "-a= --assignee= -A= --author= -l= --label= -L= --limit= -S= --search= -s= --state= --app=";

const created =
  `-a= --assignee= -b= --body= -F=read --body-file=read -l= --label= -m= --milestone= -p= --project= -t= --title= -T= --template= ` +
  `--recover=read -e!execute --editor!execute ${webOption}`;

const edited =
  "--add-assignee= --remove-assignee= --add-label= --remove-label= --add-project= --remove-project= --add-reviewer= " +
  "--remove-reviewer= -b= --body= -F=read --body-file=read -m= --milestone= --remove-milestone -t= --title= -B= --base=";

const commented = `-b= --body= -F=read --body-file=read -e!execute --editor!execute --edit-last ${webOption}`;

const pullRequest: ProgramSpec = {
  subcommands: {
    "list|ls": asks(`${filters} -B= --base= -d --draft -H= --head= ${webOption}`),
    view: asks(`-c --comments ${webOption}`),
    diff: asks(`--color= --patch --name-only ${webOption}`),
    checks: asks(`--watch --required --fail-fast -i= --interval= ${webOption}`),
    status: asks("-c --conflict-status", ""),
    "create|new": changes(
      `${created} -B= --base= -H= --head= -d --draft -f --fill --fill-first --fill-verbose --dry-run --no-maintainer-edit -r= --reviewer=`,
    ),
    edit: changes(edited),
    comment: changes(commented),
    review: changes(
      "-a --approve -r --request-changes -c --comment -b= --body= -F=read --body-file=read",
    ),
    "close|reopen|ready|lock|unlock|update-branch": changes(
      "-c= --comment= -d --delete-branch --undo -r= --reason= --rebase",
    ),
    merge: {
      ...changes(
        "--admin --auto -d --delete-branch --disable-auto -m --merge -r --rebase -s --squash -b= --body= -F=read --body-file=read " +
          "-t= --subject= --match-head-commit= -A= --author-email=",
      ),
      effects: "network write",
    },
    checkout: {
      effects: "network write project",
      options: `${repositoryOption} -b= --branch= --detach -f --force --recurse-submodules`,
      operands: "text",
    },
  },
};

const issue: ProgramSpec = {
  subcommands: {
    "list|ls": asks(`${filters} --mention= -m= --milestone= ${webOption}`),
    view: asks(`-c --comments ${webOption}`),
    status: asks("", ""),
    "create|new": changes(created),
    edit: changes(edited),
    comment: changes(commented),
    "close|reopen|delete|lock|unlock|pin|unpin|transfer": changes(
      "-c= --comment= -r= --reason= --yes",
    ),
    develop: {
      ...changes("-b= --base= -c --checkout -l --list -n= --name="),
      effects: "network write",
    },
  },
};

const run: ProgramSpec = {
  subcommands: {
    "list|ls": asks(
      "-a --all -b= --branch= -c= --commit= --created= -e= --event= -L= --limit= -s= --status= -u= --user= -w= --workflow=",
    ),
    view: asks(
      `-a= --attempt= --exit-status -j= --job= --log --log-failed -v --verbose ${webOption}`,
    ),
    watch: asks("--compact --exit-status -i= --interval="),
    "rerun|cancel|delete": changes("-d --debug --failed -j= --job= --force"),
    download: {
      effects: "network write",
      options: `${repositoryOption} -D=write --dir=write -n= --name= -p= --pattern=`,
      operands: "text",
    },
  },
};

const release: ProgramSpec = {
  subcommands: {
    "list|ls": asks("-L= --limit= --exclude-drafts --exclude-pre-releases -O= --order="),
    view: asks(webOption),
    download: {
      effects: "network write",
      options: `${repositoryOption} -A= --archive= --clobber -D=write --dir=write -O=write --output=write -p= --pattern= --skip-existing`,
      operands: "text",
    },
    "create|new|upload|edit|delete|delete-asset": opaque("network"),
  },
};

const repo: ProgramSpec = {
  subcommands: {
    view: asks(`-b= --branch= ${webOption}`),
    "list|ls": asks(
      "-L= --limit= -l= --language= --topic= --visibility= --archived --no-archived --fork --source",
    ),
    clone: {
      effects: "network write",
      options: "-u= --upstream-remote-name=",
      operands: "text write",
    },
    "create|new|fork|sync": opaque("network write"),
    "edit|delete|rename|archive|unarchive|deploy-key|set-default|autolink": opaque("network"),
  },
};

/** With a field it is no longer a read request. */
const apiChanges = deviatesWith("-X --method -f --raw-field -F --field --input -H --header");

/** Fields may come from files: `-F body=@file`. */
const api: ProgramSpec = {
  effects: "network",
  options:
    "-X= --method= -f= --raw-field= -F= --field= -H= --header= --hostname=host -i --include --input=read -q=jq --jq=jq --paginate " +
    "--slurp -p= --preview= --silent -t= --template= --cache= --verbose",
  operands: "text",
  check(parsed, record) {
    apiChanges(parsed, record);
    for (const field of parsed.values("-F", "--field")) {
      const file = /=@(.+)$/su.exec(field)?.[1];
      if (file !== undefined) record.path(fixedWord(file), "read");
    }
  },
};

const gh: ProgramSpec = {
  options: "--version --help",
  bare: {},
  subcommands: {
    pr: pullRequest,
    issue,
    run,
    release,
    repo,
    api,
    workflow: {
      subcommands: {
        "list|ls": asks("-a --all -L= --limit="),
        view: asks(`-r= --ref= -y --yaml ${webOption}`),
        "run|enable|disable": opaque("network"),
      },
    },
    label: {
      subcommands: {
        "list|ls": asks(`-L= --limit= --order= -S= --search= --sort= ${webOption}`),
        "create|edit|delete|clone": opaque("network"),
      },
    },
    cache: {
      subcommands: {
        "list|ls": asks("-L= --limit= -k= --key= -O= --order= -r= --ref= -S= --sort="),
        delete: opaque("network"),
      },
    },
    status: asks("-e= --exclude= -o= --org=", ""),
    version: {},
    auth: {
      subcommands: {
        token: { effects: "environment", options: "-h= --hostname= -u= --user=" },
        status: {
          effects: "network",
          options: "-h= --hostname= -a --active -t!environment --show-token!environment",
        },
        "login|logout|refresh|setup-git|switch": opaque("network system"),
      },
    },
    "search|gist|project|secret|variable|ssh-key|gpg-key|org|ruleset|rs|attestation|at":
      opaque("network"),
    // They run other programs, or configure them.
    "browse|codespace|cs|alias|extension|extensions|ext|config|copilot|preview":
      opaque("network execute"),
  },
};

const glabOutput = `${repositoryOption} -F= --output= -P= --per-page= -p= --page=`;

const glabAsks = (options: string): ProgramSpec => ({
  effects: "network",
  widenable: true,
  options: `${glabOutput} ${options}`,
  operands: "text",
  check: checkRepository,
});

const glab: ProgramSpec = {
  options: "--version --help",
  bare: {},
  subcommands: {
    mr: {
      subcommands: {
        "list|ls": glabAsks(
          "-A --all -a= --assignee= --author= -c --closed -d --draft -l= --label= -M --merged -r= --reviewer= --search= -s= --source-branch= -t= --target-branch=",
        ),
        view: glabAsks(`-c --comments -s --system-logs ${webOption}`),
        diff: glabAsks("--color= --raw"),
        "checkout|co": opaque("network write project"),
        "create|new|update|merge|accept|close|reopen|note|comment|approve|revoke|rebase|delete|del|for|todo|subscribe|unsubscribe|issues|approvers":
          opaque("network"),
      },
    },
    issue: {
      subcommands: {
        "list|ls": glabAsks(
          "-A --all -a= --assignee= --author= -c --closed -l= --label= -m= --milestone= --search= --in=",
        ),
        "view|show": glabAsks(`-c --comments -s --system-logs ${webOption}`),
        "create|new|update|close|reopen|note|comment|delete|del|board|subscribe|unsubscribe":
          opaque("network"),
      },
    },
    "ci|pipe|pipeline": {
      subcommands: {
        "list|ls": glabAsks("-s= --status= -o= --orderBy= --sort= --ref= --source="),
        "status|stats": glabAsks("-b= --branch= -c --compact -l --live"),
        "view|get|trace|lint|run|retry|delete|artifact|trigger|cancel|config": opaque("network"),
      },
    },
    version: {},
    auth: opaque("network environment"),
    "repo|project|release|api|label|snippet|variable|var|schedule|ssh-key|user|changelog|cluster|deploy-key|incident|iteration|job|milestone|securefile|stack|token|duo":
      opaque("network"),
    "alias|config|completion": opaque("write execute"),
  },
};

export const forges: ProgramTable = { gh, glab };
