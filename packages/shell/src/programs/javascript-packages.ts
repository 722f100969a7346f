import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import {
  launches,
  only,
  opaque,
  outsideArguments,
  prints,
  runsVerb,
  versioned,
} from "./spec-builders.ts";

/** npm accepts every option in any position, and passes it to the script as configuration. */
const npmOptions = `-s --silent -q --quiet -d --loglevel= --[no-]color --json --[no-]progress --[no-]fund
  --[no-]audit --[no-]update-notifier --[no-]foreground-scripts --ignore-scripts --if-present --[no-]offline
  --prefer-offline --prefer-online -y --yes --[no-]workspaces --[no-]ws --[no-]include-workspace-root
  -w=enter --workspace=enter --prefix=enter -C=enter
  --script-shell=execute --shell=execute --node-options=execute
  --userconfig=load --globalconfig=load --cache=write --registry=host`;

const npm = (effects: string, options = "", operands = "text*"): ProgramSpec => ({
  effects,
  options: `${npmOptions} ${options}`,
  operands,
});

/** A reading command. Every npm command also checks for a newer npm and writes a log to the home folder. */
const npmShows = (options = "", operands = "text*"): ProgramSpec => ({
  ...npm("network write", options, operands),
  widenable: true,
});

/** Runs a script of package.json. */
const script = (
  options: string,
  operands: string,
  style: "gnu" | "posix" = "gnu",
): ProgramSpec => ({
  effects: "project",
  options,
  operands,
  style,
  check: ({ operands: words }, record) => outsideArguments(words, record),
});

const npmInstall = `-DSPOBEf -g!system --save --save-dev --save-prod --save-optional --save-peer --save-exact --no-save
  --save-bundle --global!system --omit= --include= --legacy-peer-deps --strict-peer-deps --force --dry-run
  --package-lock-only --[no-]package-lock --install-strategy= --no-bin-links --production --only= --tag=`;

const npmSpec: ProgramSpec = {
  options: npmOptions,
  bare: npm("network write", "", ""),
  subcommands: {
    "test|t|tst|start|stop|restart": script(npmOptions, "text*"),
    "run|run-script|rum|urn": {
      ...script(npmOptions, "verb text*"),
      check: ({ operands: words }, record) => {
        // Without a script it lists them.
        if (words.length === 0) for (const effect of npmAlways) record.effect(effect);
        outsideArguments(words, record);
      },
    },
    "ls|list|la|ll": npmShows(
      "-aglp --all --global --long --parseable --depth= --omit= --include= --link --package-lock-only",
    ),
    "explain|why": npmShows(),
    "root|prefix|bin": npmShows("-g --global"),
    query: npmShows("--package-lock-only --[no-]expect-results --expect-result-count="),
    "outdated|view|v|info|show|search|s|find|se|ping|whoami": npmShows(
      "-agl --all --global --long --parseable -p --depth=",
    ),
    audit: {
      ...npm(
        "network write",
        "--audit-level= --omit= --include= --production --package-lock-only --only= --dry-run",
      ),
      operands: (parsed) => (parsed.operands[0]?.text === "fix" ? "unknown" : "verb"),
    },
    "install|i|in|ins|inst|isntall|add|ci|clean-install|ic|install-clean|update|up|upgrade|udpate|uninstall|un|unlink|remove|rm|r|link|ln|dedupe|ddp|prune|rebuild|rb|install-test|it|install-ci-test|cit|find-dupes":
      npm("network write project", npmInstall),
    pack: npm("project write", "--dry-run --pack-destination=write"),
    publish: npm(
      "project network",
      "--dry-run --tag= --access= --otp= --provenance --no-provenance",
    ),
    version: {
      ...npm(
        "network write",
        "--[no-]git-tag-version --allow-same-version --[no-]commit-hooks --preid= -m= --message= --sign-git-tag -f --force",
      ),
      operands: "verb",
      check: ({ operands }, record) => {
        // It runs lifecycle scripts, writes package.json and creates a commit.
        if (operands.length > 0) record.effect("project");
      },
    },
    "config|c": {
      options: npmOptions,
      subcommands: {
        get: {
          ...npm("network write", "-l --long -g --global"),
          check: ({ operands }, record) => {
            if (operands.length === 0) record.effect("environment");
          },
        },
        "list|ls": npm("network write environment", "-l --long -g --global -L= --location="),
        "set|delete|rm|edit|fix": opaque("write execute"),
      },
    },
    get: {
      ...npm("network write", "-l --long -g --global"),
      check: ({ operands }, record) => {
        if (operands.length === 0) record.effect("environment");
      },
    },
    set: opaque("write execute"),
    pkg: {
      subcommands: {
        get: npmShows(),
        "set|delete|fix": npm("network write", "-f --force"),
      },
    },
    cache: {
      subcommands: {
        ls: npmShows(),
        "clean|verify": npm("network write delete", "-f --force"),
        add: npm("network write"),
      },
    },
    "exec|x": npx(npmOptions),
    "init|create|innit": opaque("execute network write"),
    // These start a browser, an editor or a pager.
    "explore|edit|set-script|help|help-search|fund|doctor|repo|docs|home|bugs|issues|star|unstar|stars":
      opaque("execute network"),
    "login|logout|adduser|token|profile|owner|author|team|access|org|ogr|dist-tag|dist-tags|deprecate|undeprecate|unpublish|hook|trust|stage|sbom|shrinkwrap|diff|completion|install-scripts":
      opaque("network"),
  },
};

const npmAlways = ["network", "write"] as const;

/** Runs a program of a package: an installed one, or one that it downloads first. */
function npx(options: string): ProgramSpec {
  return {
    ...launches(""),
    options: `${options} --no --no-install --ignore-existing -q --quiet -y --yes -p=execute --package=execute
      -c=script --call=script`,
    check: (parsed, record) => {
      const [program] = parsed.operands;
      record.effect(parsed.has("--no", "--no-install") ? "project" : "execute");
      if (!parsed.has("--no", "--no-install")) record.effect("network");
      if (program) record.verbs.push(program.text);
      else if (!parsed.has("-c", "--call")) record.fail("no program to run is given");
    },
  };
}

const pnpmOptions = `-s --silent -r --recursive -w --workspace-root --[no-]color --loglevel= --reporter= --stream --parallel
  --aggregate-output --if-present --no-bail --sort --no-sort --workspace-concurrency= --fail-if-no-match
  -C=enter --dir=enter --filter=enter -F=enter --filter-prod=enter --script-shell=execute --shell-emulator
  --node-options=execute --config=load --userconfig=load --global-pnpmfile=load --pnpmfile=load --registry=host`;

const pnpm = (effects: string, options = "", operands = "text*"): ProgramSpec => ({
  effects,
  options: `${pnpmOptions} ${options}`,
  operands,
});

/** Every pnpm command loads `.pnpmfile.cjs` of the project. */
const pnpmSpec: ProgramSpec = {
  options: pnpmOptions,
  bare: script("", "verb text*", "posix"),
  subcommands: {
    "run|run-script": script(pnpmOptions, "verb text*", "posix"),
    "test|t|tst|start|stop|restart": script(pnpmOptions, "text*", "posix"),
    exec: launches("project", pnpmOptions),
    dlx: launches("execute network", "-s --silent --package=execute --allow-build="),
    "list|ls|la|ll|why|root|bin|licenses": pnpm(
      "project",
      "-DPgl --dev --prod --global --long --parseable --json --depth= --only-projects --no-optional",
    ),
    "outdated|audit|view|info|show|search|ping|whoami": pnpm(
      "project network",
      "-DPgl --dev --prod --global --long --json --format= --audit-level= --compatible",
    ),
    "install|i|add|remove|rm|uninstall|un|update|up|upgrade|dedupe|prune|rebuild|rb|link|ln|unlink|fetch|import|install-test|it|ci":
      pnpm(
        "network write project",
        `-DEOPLif -g!system --save-dev --save-prod --save-exact --save-optional --save-peer --dev --prod --no-optional --latest
         --frozen-lockfile --no-frozen-lockfile --lockfile-only --ignore-scripts --offline --prefer-offline --force
         --global!system --interactive --ignore-workspace --no-lockfile --fix-lockfile --no-save`,
      ),
    "publish|pack|deploy|patch|patch-commit|patch-remove|version|create|init|setup|self-update|env|runtime|store|server|config|c|get|set|cache|approve-builds|ignored-builds|cat-file|cat-index|find-hash|doctor|login|logout|adduser|access|owner|team|token|dist-tag|deprecate|unpublish|pkg|help|completion|sbom|clean|purge|edit|explore|repo|docs|bugs|home|stars|star|shrinkwrap|set-script|with":
      opaque("execute network write project"),
  },
};

const yarnOptions = `-s --silent --[no-]color --cwd=enter --non-interactive --verbose --json --offline --no-progress
  --ignore-scripts --frozen-lockfile --immutable --network-timeout= --use-yarnrc=load --registry=host`;

const yarnInstall: ProgramSpec = {
  effects: "network write project",
  options: `${yarnOptions} -DEPOTWC --dev --exact --peer --optional --tilde --caret --pure-lockfile --check-files --force --production=?
    --inline-builds --mode= --check-cache --prefer-offline --refresh-lockfile --latest -i --interactive`,
  operands: "text*",
};

/** Every yarn command runs the project's copy of yarn (`yarnPath`). */
const yarnSpec: ProgramSpec = {
  effects: "project",
  options: yarnOptions,
  bare: {
    effects: "project",
    read(words, record) {
      // Without a word it installs.
      if (words.length === 0)
        for (const effect of ["network", "write"] as const) record.effect(effect);
      runsVerb(words, record);
    },
  },
  subcommands: {
    run: script(
      `${yarnOptions} -T --top-level -B --binaries-only --inspect=?!network`,
      "verb text*",
      "posix",
    ),
    "test|start": script(yarnOptions, "text*", "posix"),
    exec: launches("project"),
    "install|add|remove|up|upgrade|upgrade-interactive|dedupe|rebuild|import|autoclean":
      yarnInstall,
    "why|list|info|licenses|bin|explain": only(
      "project",
      `${yarnOptions} --pattern= --depth= -A -R --all --recursive -p --production --name-only`,
    ),
    "outdated|audit|search": only(
      "project network",
      `${yarnOptions} -A --all -R --recursive --level= --groups=`,
    ),
    workspace: {
      effects: "project",
      read: ([workspace, ...words], record) => {
        if (!workspace || words.length === 0) return record.fail("no program to run is given");
        record.verbs.push(...[workspace, ...words.slice(0, 2)].map(({ text }) => text));
        if (words.some(({ known, text }) => known !== "fixed" || builtin.has(text)))
          return record.fail("what it runs in the workspace is not analysed");
        outsideArguments(words, record);
      },
    },
    "dlx|create|node|plugin|set|config|npm|workspaces|publish|pack|version|link|unlink|global|init|policies|self-update|cache|login|logout|owner|tag|team|unplug|patch|patch-commit|stage|constraints|generate-lock-entry|check|help|versions|access|unlink-all|sponsors|stats|search-interactive|sdks|interactive-tools":
      opaque("execute network write project"),
  },
};

/** Commands of `yarn workspace` that are not scripts. */
const builtin = new Set(
  "add remove install up dlx exec node npm config set plugin publish pack version create link".split(
    " ",
  ),
);

const bunOptions = `-b --bun --watch --hot --smol --silent --no-clear-screen --[no-]install --if-present --elide-lines=
  --cwd=enter -c=load --config=load --env-file=load --filter=enter -F=enter --tsconfig-override=load
  -r=execute --preload=execute --require=execute --import=execute -e=execute --eval=execute -p=execute --print=execute
  --shell=execute --inspect=?!network --inspect-brk=?!network`;

const bunSpec: ProgramSpec = {
  options: bunOptions,
  bare: {
    read(words, record) {
      if (words.length > 0) runsVerb(words, record);
      else if (!record.effects.has("execute")) record.fail("no subcommand is given");
    },
  },
  subcommands: {
    run: script(bunOptions, "verb text*", "posix"),
    test: {
      ...script(
        `${bunOptions} -t= --test-name-pattern= --timeout= --bail=? --coverage --coverage-reporter= --coverage-dir=write
         --rerun-each= --only --todo --reporter= --reporter-outfile=write --randomize --seed= --concurrent --max-concurrency=
         -u!write --update-snapshots!write`,
        "name*",
      ),
    },
    x: launches(
      "execute network",
      "--bun --package=execute -p=execute --verbose --silent --no-install",
    ),
    "install|i|add|a|remove|rm|update|outdated|audit|link|unlink|ci|info|why|publish|patch|patch-commit":
      only(
        "network write project",
        "-dDEpyf -g!system --dev --exact --optional --peer --global!system --production --frozen-lockfile --no-save --dry-run --force --latest --cwd=enter --ignore-scripts --silent --verbose --no-progress --filter=enter -c=load --config=load --registry=host",
      ),
    build: {
      effects: "project",
      options: `--outdir=write --outfile=write --target= --format= --minify --sourcemap=? --splitting --external= -e= --root=read
        --watch --production --compile --bytecode --packages= --define= --public-path= --env=`,
      operands: "read*",
    },
    pm: {
      subcommands: {
        "ls|list|bin|hash|hash-string|whoami|view": only("project network", "-a --all -g"),
      },
    },
    "create|c|init|upgrade|repl|exec|completions|discord|getcompletes|feedback":
      opaque("execute network write"),
  },
};

const corepack: ProgramSpec = {
  subcommands: {
    "enable|disable": opaque("system"),
    "prepare|install|use|up|pack|hydrate|cache": opaque("network system"),
    "pnpm|pnpx|yarn|yarnpkg|npm|npx": opaque("execute network"),
  },
};

export const javascript: ProgramTable = {
  npm: prints("--version -v --help -h", npmSpec),
  // If package.json names another version of pnpm, pnpm downloads and runs it.
  pnpm: prints("--version -v --help -h", pnpmSpec, "project network"),
  "yarn|yarnpkg": prints("--version -v --help -h", yarnSpec, "project"),
  bun: prints("--version -v --help -h --revision", bunSpec),
  npx: prints(
    "--version -v",
    npx(
      "-w=enter --workspace=enter --prefix=enter --script-shell=execute --userconfig=load --registry=host",
    ),
  ),
  pnpx: launches("execute network", "-s --silent --package=execute -p=execute"),
  bunx: launches(
    "execute network",
    "--bun --package=execute -p=execute --verbose --silent --no-install",
  ),
  corepack: versioned(corepack),
};
