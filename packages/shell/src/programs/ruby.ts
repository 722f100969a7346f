import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import {
  launches,
  lessWith,
  modes,
  needsFile,
  only,
  opaque,
  outsideArguments,
  ownOnly,
  plainValues,
  prints,
  project,
} from "./spec-builders.ts";

/** `-c` only parses, even code from its input, but applies options of the script's first line, such as `-r./code`. */
const ruby: ProgramSpec = {
  options: `-ahlnpsvwxUy -c -e=execute -i=?!write -r=execute -I=load -C=enter -S!execute -E= -K=? -F=? -W=? -0=? -T=? --yjit --jit
    --enable= --disable= --encoding= --external-encoding= --internal-encoding= --verbose --debug!execute -d!execute`,
  style: "posix",
  operands: (parsed) => {
    if (parsed.has("-c")) return "read*";
    return parsed.has("-e") ? "text*" : "code text*";
  },
  check: (parsed, record) => {
    lessWith("-c")(parsed, record);
    // Other options may follow the number in the same word: `-0777ne`.
    plainValues(/^(?:\d+|:[\w-]+)$/, "-0", "-W", "-T", "-K")(parsed, record);
    const [, ...rest] = parsed.operands;
    if (parsed.has("-c")) {
      if (parsed.operands.length > 0) record.effect("project");
      return;
    }
    needsFile(parsed, record);
    outsideArguments(rest, record);
  },
};

const bundleOptions =
  "--gemfile=load --[no-]color -V --verbose --retry= --no-prune --quiet --jobs= -j= --local --path=write --deployment --without= --with= --frozen --full-index --redownload --force --clean --standalone=?write --system!system --trust-policy=";

/** A Gemfile is code, and the version of Bundler that the project locks is the one that runs. */
const bundle: ProgramSpec = {
  effects: "project",
  options: "--[no-]color -V --verbose --retry= --version -v --help -h",
  bare: {},
  subcommands: {
    exec: launches("project", "--gemfile=load --keep-file-descriptors"),
    "list|show|info|check|platform|licenses|env": only(
      "project",
      `${bundleOptions} --name-only --paths --only-group= --without-group= --dry-run --path --version`,
    ),
    "install|update|add|remove|lock|outdated|cache|package|pristine|clean": only(
      "network write project",
      `${bundleOptions} --all --group= -g= --source= -s= --patch --minor --major --strict --conservative --bundler=? --gem= --version=
       --skip-install --groups= --require= --only-explicit --parseable --porcelain --filter-strict`,
    ),
    "config|open|init|gem|console|binstubs|viz|plugin|doctor|inject|version|help|issue|fund":
      opaque("execute write"),
  },
};

const gem: ProgramSpec = {
  subcommands: {
    list: only(
      "",
      "-ldaieq --local --details --all --installed --exact --versions --no-versions --prerelease --no-verbose --quiet",
    ),
    "which|contents": only("", "-a --all -l --lib-only --no-lib-only"),
    "environment|env": only("environment"),
    "search|info|outdated|specification|spec|dependency|query": only(
      "network",
      "-lraedvb --local --remote --both --all --exact --details --yaml --ruby --version=",
    ),
    "install|i|uninstall|update|build|push|yank|fetch|cleanup|pristine|sources|owner|signin|signout|cert|exec|open|unpack|server|setup|lock|mirror|rdoc|stale|check|generate_index|rebuild|help|wrappers":
      opaque("execute network system write"),
  },
};

const rake: ProgramSpec = {
  effects: "project",
  options: `-ABDGmNnPqsTtvVWX --tasks=? --all --prereqs --dry-run --trace=? --quiet --silent --verbose=? --jobs=? -j=? --multitask
    --rules --where=? --describe=? --no-search --nosearch --build-all --backtrace=? --comments --no-system --nosystem --suppress-backtrace=
    -f=load --rakefile=load -C=enter --directory=enter -I=load --libdir=load -R=load --rakelibdir=load -r=execute
    --require=execute -e=execute --execute=execute -E=execute --execute-continue=execute -p=execute --execute-print=execute
    --version --help -h -H`,
  operands: "verb*",
  check: ({ operands }, record) => {
    const variable = operands.find(({ text }) => text.includes("="));
    if (variable) record.deviate(`it sets ${variable.text}`);
    outsideArguments(operands, record);
  },
};

/** Inside an application it runs `bin/rails` of the application. */
const rails = modes(
  {
    "runner|r|console|c|dbconsole|db|new|plugin|generate|g|destroy|d|encrypted|credentials|secrets|app:template":
      opaque("execute project write"),
    "server|s": only(
      "project network",
      "-p= --port= -b= --binding= -e= --environment= -d --daemon -P=write --pid=write",
    ),
  },
  project(
    "-v --version -h --help -e= --environment= -c= --controller= -g= --grep= -E --expanded -n= --name= -b --backtrace -f --fail-fast -d --defer-output --seed= -T --tasks --trace",
    "verb*",
  ),
);

const rspec = project(
  `-bcnwv -I=load -r=execute --require=execute -O=load --options=load --order= --seed= -f= --format= -o=write --out=write -e= --example= -E=
   --example-matches= -t= --tag= -P= --pattern= --exclude-pattern= --fail-fast=? --no-fail-fast --failure-exit-code=
   --next-failure --only-failures --backtrace --color --no-color --force-color --profile=? -p=? --no-profile --warnings
   --dry-run --bisect=?!execute -X --init!write --default-path= --deprecation-out=write --version --help -h`,
  "name*",
  ownOnly("progress documentation html json failures p d h j f", "-f", "--format"),
);

const rubocop = project(
  `-a!write -A!write --autocorrect!write --autocorrect-all!write -x!write --fix-layout!write -l --lint -f= --format= -o=write --out=write
   -r=execute --require=execute --plugin=execute -c=load --config=load --only= --except= -DSEdLPV --display-cop-names
   --display-style-guide --extra-details --debug --parallel --no-parallel --cache= --cache-root=write --fail-level= -F --fail-fast
   --display-only-fail-level-offenses --display-only-correctable --auto-gen-config!write --force-exclusion
   --force-default-config --ignore-parent-exclusion --ignore-unrecognized-cops --only-guide-cops --list-target-files
   --init!write -s= --stdin= --[no-]server!execute --[no-]color --show-cops=? --version -v --verbose-version --help -h`,
  (parsed) =>
    parsed.has("-a", "-A", "--autocorrect", "--autocorrect-all", "-x", "--fix-layout")
      ? "write*"
      : "read*",
  ownOnly(
    "progress p autogenconf a clang c disabled emacs e files fi fuubar fu github g html h json j junit ju markdown m offenses o pacman quiet q simple s tap t worst w",
    "-f",
    "--format",
  ),
);

export const rubyTools: ProgramTable = {
  ruby: prints("--version -v --copyright --help -h", ruby),
  "bundle|bundler": bundle,
  gem: prints("--version -v --help -h", gem),
  rake,
  rails,
  rspec,
  rubocop,
  "irb|pry|erb|ri|rdoc|puma|unicorn|rackup|sidekiq|foreman|overmind|cap|jekyll|standardrb|brakeman|srb|solargraph|rbenv|rvm|chruby|kamal|thor|guard|spring|minitest|cucumber|steep|reek|hanami|jruby|truffleruby|mruby":
    opaque("execute project"),
};
