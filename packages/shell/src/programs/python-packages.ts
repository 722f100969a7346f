import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import { launches, only, opaque, outsideArguments, prints } from "./spec-builders.ts";

/** pip accepts these in any position. Abbreviations are unknown here. */
const pipOptions = `-qv --quiet --verbose --no-color --no-input --isolated --require-virtualenv --disable-pip-version-check
  --no-python-version-warning --no-cache-dir --cache-dir=write --log=write --log-file=write --python=execute --proxy=host
  --retries= --timeout= --exists-action= --trusted-host= --cert=read --client-cert=read --use-feature= --use-deprecated=
  --keyring-provider=execute --debug`;

const pip = (effects: string, options = "", operands = "text*"): ProgramSpec => ({
  effects,
  options: `${pipOptions} ${options}`,
  operands,
});

const pipIndex = `-i=host --index-url=host --pypi-url=host --extra-index-url=host --no-index -f=load --find-links=load --pre`;

const pipInstall: ProgramSpec = {
  ...pip(
    "network write project",
    `${pipIndex} -r=load --requirement=load -c=load --constraint=load -e= --editable= -t=write --target=write --prefix=write
     --root=write --src=write --user!system -U --upgrade --upgrade-strategy= --force-reinstall -I --ignore-installed
     --no-deps --no-build-isolation --use-pep517 --no-compile --compile --no-warn-script-location --only-binary=
     --no-binary= --prefer-binary --require-hashes --progress-bar= --root-user-action= --dry-run --report=write
     --break-system-packages!system --platform= --python-version= --implementation= --abi= --config-settings=execute
     -C=execute --global-option=execute --no-clean -d=write --dest=write -w=write --wheel-dir=write --group=`,
  ),
  check: (parsed, record) => {
    outsideArguments(parsed.operands, record);
    for (const { name, value } of parsed.options)
      if (value && (name === "-e" || name === "--editable")) outsideArguments([value], record);
  },
};

const pipSpec: ProgramSpec = {
  options: pipOptions,
  subcommands: {
    list: {
      ...pip(
        "read",
        `${pipIndex} -oule --outdated --uptodate --editable --local --user --path=read --format= --not-required
         --exclude-editable --include-editable --exclude=`,
      ),
      operands: "",
      check: (parsed, record) => {
        // It checks for a newer pip.
        const asksIndex = parsed.has("-o", "--outdated", "-u", "--uptodate");
        if (asksIndex || !parsed.has("--disable-pip-version-check")) record.effect("network");
        if (!asksIndex && parsed.has("--disable-pip-version-check"))
          record.verbs.push("--disable-pip-version-check");
      },
    },
    show: pip("read", "-f --files"),
    check: pip("read", "", ""),
    inspect: pip("read", "--local --user --path=read", ""),
    hash: pip("read", "-a= --algorithm=", "read*"),
    // It runs git, hg and svn for packages that are installed from a folder.
    freeze: pip(
      "project",
      "-r=read --requirement=read -l --local --user --path=read --all --exclude-editable --exclude=",
      "",
    ),
    "install|download|wheel|lock": pipInstall,
    uninstall: pip(
      "write delete",
      "-y --yes -r=load --requirement=load --break-system-packages!system",
    ),
    "index|search": pip(
      "network",
      `${pipIndex} --json --platform= --python-version=`,
      "verb text*",
    ),
    cache: {
      options: pipOptions,
      subcommands: {
        "dir|info|list": pip("read", "--format="),
        "remove|purge": pip("delete"),
      },
    },
    config: {
      options: `${pipOptions} --global --user --site`,
      subcommands: {
        "list|get|debug": pip("environment", "--global --user --site"),
        "set|unset|edit": opaque("write execute"),
      },
    },
    debug: pip("environment", "--platform= --python-version= --implementation= --abi="),
    help: only(""),
  },
};

const uvOptions = `-qvn --quiet --verbose --color= --no-progress --offline --no-cache --cache-dir=write --native-tls --no-config
  --config-file=load --directory=enter --project=enter -p=execute --python=execute --managed-python --no-managed-python
  --no-python-downloads --allow-insecure-host=host`;

const uvSync = `${uvOptions} --frozen --locked --no-sync --all-extras --extra= --no-dev --dev --only-dev --group= --no-group= --only-group=
  --all-groups --all-packages --package= --inexact --exact --no-install-project --no-install-workspace --upgrade -U -P=
  --upgrade-package= --reinstall --refresh --isolated --active --index=host --default-index=host -i=host --index-url=host
  --extra-index-url=host -f=load --find-links=load --no-index --prerelease= --resolution= --no-build-isolation --link-mode=
  --no-build --no-binary --check --dry-run`;

/** uv runs the interpreter of the project's environment, and builds the project to lock it. */
const uv: ProgramSpec = {
  options: uvOptions,
  subcommands: {
    run: {
      ...launches("execute project network write"),
      options: `${uvSync} -m=execute --module=execute --with=execute --with-editable=execute --with-requirements=load
        --env-file=load --no-env-file -s --script --gui-script`,
      check: (parsed, record) => {
        const [program] = parsed.operands;
        if (program) record.verbs.push(program.text);
      },
    },
    "sync|lock|add|remove": only(
      "network write project",
      `${uvSync} -r=load --requirements=load -c=load --constraints=load --optional= --editable --no-editable --raw --bounds=
       --rev= --tag= --branch= --script=write --marker=`,
    ),
    tree: only(
      "project network write",
      `${uvSync} --depth= -d= --prune= --no-dedupe --invert --outdated --universal --show-sizes`,
    ),
    export: only(
      "project network write",
      `${uvSync} --format= -o=write --output-file=write --no-hashes`,
    ),
    version: only("project", `${uvOptions} --short --output-format=`, ""),
    pip: {
      options: uvOptions,
      subcommands: {
        "list|show|freeze|tree|check": only(
          "project",
          `${uvOptions} --format= --outdated!network --strict --system -e --editable --exclude-editable --exclude= -f --files -d= --depth=`,
        ),
        "install|uninstall|sync|compile": only(
          "network write project",
          `${uvSync} -r=load --requirement=load --requirements=load -c=load --constraint=load -e= --editable= -o=write
           --output-file=write --system!system --target=write --prefix=write --break-system-packages!system --no-deps`,
        ),
      },
    },
    venv: {
      effects: "write network",
      options: `${uvOptions} --seed --clear!delete -c --prompt= --system-site-packages --relocatable`,
      operands: "write",
    },
    python: {
      options: uvOptions,
      subcommands: {
        "list|find|dir": only(
          "project network",
          `${uvOptions} --only-installed --only-downloads --all-versions`,
        ),
        "install|uninstall|pin|upgrade|update-shell": opaque("network system write"),
      },
    },
    tool: {
      options: uvOptions,
      subcommands: {
        run: launches("execute network", `${uvOptions} --from=execute --with=execute`),
        "list|dir": only("project", `${uvOptions} --show-paths --show-version-specifiers`),
        "install|uninstall|upgrade|update-shell": opaque("network system write execute"),
      },
    },
    cache: {
      subcommands: { dir: only("project"), "clean|prune": opaque("delete") },
    },
    help: only("execute"),
    "init|build|publish|self|generate-shell-completion|auth|format|workspace|audit":
      opaque("network write execute"),
  },
};

const poetryOptions = `-qnv --quiet --no-interaction --verbose --[no-]ansi --no-plugins --no-cache -C=enter --directory=enter
  -P=enter --project=enter`;

const packageManager = (
  options: string,
  show: string,
  change: string,
  others: string,
): ProgramSpec => ({
  effects: "project",
  options,
  subcommands: {
    run: launches("project", options),
    [show]: only(
      "project network",
      `${options} --tree -t -l --latest -o --outdated --all --why --json --freeze --graph --format= --short -s -f= --full-path -p --path --list --lock --strict --top-level -T --only= --with= --without= --fields=`,
    ),
    [change]: only(
      "network write project",
      `${options} -D --dev -d -G= --group= --with= --without= --only= --no-root --all-extras -E= --extras= --sync --dry-run
       --lock --no-update --regenerate --prod --no-self --no-lock --frozen-lockfile --update-reuse --no-isolation --optional=`,
    ),
    [others]: opaque("execute network write"),
  },
});

export const pythonPackages: ProgramTable = {
  "pip|pip2|pip3": prints("--version -V --help -h", pipSpec),
  pipx: prints("--version --help -h", {
    subcommands: {
      run: launches(
        "execute network",
        "-qv --spec=execute --python=execute --no-cache --pip-args=execute",
      ),
      "list|install|uninstall|upgrade|upgrade-all|inject|uninject|reinstall|reinstall-all|uninstall-all|ensurepath|environment|completions|interpreter|pin|unpin|runpip|install-all":
        opaque("network system write execute"),
    },
  }),
  uv: prints("--version -V --help -h", uv),
  uvx: prints(
    "--version -V --help -h",
    launches("execute network", `${uvOptions} --from=execute --with=execute`),
  ),
  // Plugins that the project requires are loaded first.
  poetry: prints(
    "--version -V --help -h",
    packageManager(
      poetryOptions,
      "show|check|version|about|list",
      "install|add|remove|update|lock|sync",
      "build|publish|init|new|shell|env|config|source|self|cache|search|export|debug|help",
    ),
    "project",
  ),
  pdm: prints(
    "--version -V --help -h",
    packageManager(
      "-qv --quiet --verbose -p=enter --project=enter -c=load --config=load -I --ignore-python",
      "list|show|info|outdated",
      "install|add|remove|update|lock|sync",
      "build|publish|init|new|use|venv|config|cache|fix|import|export|plugin|self|python|completion|search",
    ),
    "project",
  ),
  hatch: prints(
    "--version --help -h",
    {
      effects: "project",
      options:
        "-qv --quiet --verbose -e=verb --env=verb -p=enter --project=enter --[no-]color --[no-]interactive --config=load --data-dir=write --cache-dir=write",
      subcommands: {
        run: only("project network write", "", "verb*"),
        "test|fmt": only(
          "project network write",
          "-adpciIsf --all --cover --parallel --check --diff --include= --exclude= --fix --linter --formatter --randomize --quiet",
          "name*",
        ),
        "build|publish|new|env|shell|config|dep|project|python|self|status|version|clean|build-env":
          opaque("execute network write"),
      },
    },
    "project",
  ),
  "conda|mamba|micromamba|pixi|rye|pipenv|virtualenv|pyenv|twine|flit|easy_install|bandersnatch|pip-compile|pip-sync|pip-audit":
    opaque("execute network system write"),
};
