import type { SearchScope } from "../line-facts.ts";
import { readCommand } from "../arguments/read-command.ts";
import type { ProgramSpec, ProgramTable, ParsedArguments } from "../arguments/program-spec.ts";
import {
  checks,
  everyFile,
  firstWord,
  launches,
  lessWith,
  needsFile,
  only,
  opaque,
  outsideArguments,
  ownOnly,
  prints,
  project,
  deviatesWith,
  versioned,
  withoutArgumentFiles,
} from "./spec-builders.ts";

const nodeOptions = `--enable-source-maps --no-warnings --trace-warnings --trace-deprecation --trace-uncaught
  --no-deprecation --throw-deprecation --watch --watch-path=name --watch-preserve-output --experimental-strip-types
  --no-experimental-strip-types --experimental-transform-types --experimental-vm-modules --experimental-sqlite
  --experimental-test-coverage --experimental-test-module-mocks --disable-warning= --expose-gc --max-old-space-size=
  --stack-trace-limit= --unhandled-rejections= -C= --conditions= --preserve-symlinks --preserve-symlinks-main
  --env-file=load --env-file-if-exists=load
  -r=execute --require=execute --import=execute --loader=execute --experimental-loader=execute
  --inspect=?!network --inspect-brk=?!network --cpu-prof!write --heap-prof!write --prof!write`;

const nodeReporters = ownOnly("spec tap dot junit lcov", "--test-reporter");

const node: ProgramSpec = {
  options: `${nodeOptions} -e=execute --eval=execute -p=execute --print=execute -c --check --input-type= --run=verb
    --test --test-only --test-name-pattern= --test-skip-pattern= --test-reporter= --test-reporter-destination=write
    --test-concurrency= --test-timeout= --test-shard= --test-force-exit --test-isolation= --test-update-snapshots!write
    --test-coverage-include= --test-coverage-exclude=`,
  style: "posix",
  operands: (parsed) => {
    if (parsed.has("-c", "--check")) return "read";
    if (parsed.has("--test")) return "name*";
    return parsed.has("-e", "--eval", "-p", "--print", "--run") ? "text*" : "code text*";
  },
  check: (parsed, record) => {
    nodeReporters(parsed, record);
    lessWith("-c", "--check")(parsed, record);
    const [first, ...rest] = parsed.operands;
    if (parsed.has("--test", "--run")) {
      record.verbs.push(parsed.has("--test") ? "--test" : "--run");
      return record.effect("project");
    }
    // It only parses, even code from its input.
    if (parsed.has("-c", "--check")) return;
    if (first?.text === "inspect") record.fail("it starts the debugger");
    needsFile(parsed, record);
    outsideArguments(rest, record);
  },
};

const denoPermissions = `-A --allow-all --allow-read=? --allow-write=? --allow-net=? --allow-env=? --allow-run=? --allow-ffi=?
  --allow-sys=? --allow-import=? --deny-read=? --deny-write=? --deny-net=? --deny-env=? --deny-run=? -R=? -W=? -N=? -E=?
  --no-prompt --check=? --no-check=? -q --quiet --no-lock --frozen --no-remote --cached-only --unstable-kv --watch=?
  -c=load --config=load --import-map=load --env-file=?load --env=?load --lock=load --preload=execute
  --inspect=?!network --inspect-brk=?!network -r=?!network --reload=?!network`;

/** Without these options, code cannot use files, the network or other programs. */
const permits = deviatesWith(
  "-A --allow-all --allow-read --allow-write --allow-net --allow-env --allow-run --allow-ffi --allow-sys --allow-import -R -W -N -E",
);

/** These tools select files by extension, independent of their configuration. */
const sources = (more: string) => (): SearchScope => ({
  ...everyFile(),
  includes:
    `*.js *.mjs *.cjs *.jsx *.ts *.mts *.cts *.tsx *.json *.jsonc *.json5 *.webmanifest *.importmap *.css *.pcss
    *.html *.htm *.vue *.svelte *.astro *.svg .*rc ${more}`.split(/\s+/),
});

const isUrl = (text: string): boolean => /^[a-z][a-z\d+.-]+:/i.test(text);

const deno: ProgramSpec = {
  options: "-q --quiet",
  subcommands: {
    run: {
      options: denoPermissions,
      style: "posix",
      operands: ({ operands: [file] }) =>
        file && isUrl(file.text) ? "execute text*" : "code text*",
      check: (parsed, record) => {
        if (isUrl(parsed.operands[0]?.text ?? "")) record.effect("network");
        needsFile(parsed, record);
        outsideArguments(parsed.operands.slice(1), record);
      },
    },
    task: {
      effects: "project",
      options:
        "-q --quiet --cwd=enter -c=load --config=load -r --recursive -f=enter --filter=enter",
      operands: "verb text*",
      style: "posix",
    },
    "test|bench": project(
      `${denoPermissions} --filter= --fail-fast=? --parallel --coverage=?write --doc --no-run --permit-no-files --reporter=
       --junit-path=write --shuffle=? --trace-leaks --ignore= --json`,
      "name*",
      permits,
    ),
    check: only("network project", `${denoPermissions} --all --doc --doc-only`, "name*"),
    // It writes a cache to the home folder.
    fmt: {
      effects: "write",
      options:
        "--check -q --quiet --ext= --ignore= --line-width= --indent-width= --use-tabs --no-semicolons --single-quote -c=load --config=load",
      operands: (parsed) => (parsed.has("--check") ? "search*" : "write*"),
      implied: (parsed) => (parsed.has("--check") ? "search ." : "write ."),
      search: sources("*.md *.markdown *.yml *.yaml *.ipynb *.scss *.less *.sass *.sql"),
      check: (parsed, record) => {
        lessWith("--check")(parsed, record);
        record.isWidenable = parsed.has("--check");
      },
    },
    lint: only(
      "project",
      "--fix!write -q --quiet --rules --rules-tags= --rules-include= --rules-exclude= --json --compact --ignore= -c=load --config=load",
      "read*",
    ),
    "info|doc|outdated|audit|why": only(
      "network",
      "--json --no-lock -c=load --config=load",
      "text*",
    ),
    "add|install|i|cache|remove|uninstall|update|approve-scripts|publish|compile|bundle|coverage|upgrade|init|eval|repl|jupyter|serve|vendor|clean|deploy|create|x|sandbox|lsp":
      opaque("execute network write"),
  },
};

/** Every flag accepts a value: `--noEmit false` writes. */
const noFlagValues: ProgramSpec["check"] = ({ operands }, record) => {
  const value = operands.find(({ text }) => /^(?:true|false|null)$/i.test(text));
  if (value) record.fail(`${value.text} may turn off the option before it`);
};

/** It follows imports and settings, even outside the project; some settings write despite `--noEmit`. */
const tsc: ProgramSpec = {
  effects: "project",
  options: `--noEmit -p=load --project=load --pretty --strict --skipLibCheck --listFiles --listFilesOnly --traceResolution
    --extendedDiagnostics --diagnostics --noErrorTruncation -w --watch --preserveWatchOutput --showConfig
    --explainFiles --jsx= --target= -t= --module= -m= --moduleResolution= --lib= --esModuleInterop --allowJs --checkJs
    --resolveJsonModule --noUnusedLocals --noUnusedParameters --allowImportingTsExtensions --isolatedModules
    --emitDeclarationOnly -d --declaration --sourceMap -b!write --build!write -f --force --clean!delete --dry --verbose -v
    --incremental!write -i!write --composite!write --outDir=write --outFile=write --declarationDir=write --rootDir=name
    --tsBuildInfoFile=write --generateTrace=write --generateCpuProfile=write --init!write`,
  operands: "read*",
  check: checks(
    noFlagValues,
    lessWith("--noEmit", "--showConfig", "--listFilesOnly"),
    (parsed, record) => {
      if (!parsed.has("--noEmit", "--showConfig", "--listFilesOnly")) record.effect("write");
    },
  ),
};

/** The value of `--pretty` is commonly used. */
const tscProgram: ProgramSpec = {
  ...tsc,
  read(words, record) {
    const isPretty = (at: number) =>
      words[at - 1]?.text === "--pretty" && /^(?:true|false)$/.test(words[at]?.text ?? "");
    readCommand(
      tsc,
      words.filter((_word, at) => !isPretty(at)),
      record,
    );
  },
};

const eslint = project(
  `-c=load --config=load --ext= --fix!write --fix-dry-run --fix-type= --quiet --max-warnings= --cache!write --cache-location=write
   --cache-strategy= --no-eslintrc --no-config-lookup --rule= --env= --global= --ignore-path=load --[no-]ignore --ignore-pattern= --[no-]color
   --no-error-on-unmatched-pattern --report-unused-disable-directives --no-inline-config --debug --print-config=read --env-info
   --stdin --stdin-filename= -f= --format= -o=write --output-file=write --rulesdir=load --plugin=execute --parser=execute
   --resolve-plugins-relative-to=load --pass-on-no-patterns --no-warn-ignored --stats --flag= --concurrency=`,
  (parsed) => (parsed.has("--fix") ? "write*" : "read*"),
  ownOnly(
    "stylish json html json-with-metadata compact unix visualstudio checkstyle tap junit jslint-xml",
    "-f",
    "--format",
  ),
);

const oxlint = project(
  `-c=load --config=load --tsconfig=load --fix!write --fix-suggestions!write --fix-dangerously!write --quiet --silent --deny-warnings
   --max-warnings= -f= --format= -A= -W= -D= --allow= --warn= --deny= --ignore-path=load --ignore-pattern= --no-ignore
   --type-aware --type-check --threads= --print-config --rules --disable-nested-config --import-plugin --react-plugin
   --vitest-plugin --jest-plugin --jsx-a11y-plugin --nextjs-plugin --promise-plugin --node-plugin --init!write`,
  (parsed) => (parsed.has("--fix", "--fix-suggestions", "--fix-dangerously") ? "write*" : "read*"),
);

/** Formatters print unless an option makes them write. */
const prettier = project(
  `-c --check -l --list-different -w!write --write!write --config=load --no-config --ignore-path=load --plugin=execute --parser=
   --stdin-filepath= --[no-]color --log-level= --no-error-on-unmatched-pattern --ignore-unknown -u --find-config-path=name
   --file-info=name --support-info --no-editorconfig --with-node-modules --cache!write --cache-location=write
   --tab-width= --print-width= --single-quote --no-semi --trailing-comma= --use-tabs --prose-wrap= --end-of-line=`,
  (parsed) => (parsed.has("-w", "--write") ? "write*" : "read*"),
  ownOnly(
    "babel babel-flow babel-ts flow typescript acorn espree meriyah css less scss json json5 jsonc json-stringify graphql markdown mdx vue yaml html angular lwc glimmer",
    "--parser",
  ),
);

const oxfmtReads = (parsed: ParsedArguments): boolean =>
  parsed.has("--check", "--list-different", "--stdin-filepath");

const oxfmt = project(
  "--check --list-different -c=load --config=load --ignore-path=load --with-node-modules --threads= --no-error-on-unmatched-pattern --write --stdin-filepath=",
  (parsed) => (oxfmtReads(parsed) ? "read*" : "write*"),
  checks(lessWith("--check", "--list-different", "--stdin-filepath"), (parsed, record) => {
    if (!oxfmtReads(parsed)) record.effect("write");
  }),
);

// It asks git for the changed files.
const biomeRead = `--config-path=load --colors= --max-diagnostics= --diagnostic-level= --error-on-warnings --reporter= --verbose
  --no-errors-on-unmatched --skip-errors --files-ignore-unknown= --changed!project --since= --staged!project --stdin-file-path=
  --only= --skip= --log-level= --log-kind= --formatter-enabled= --linter-enabled= --assist-enabled=`;

const biomeRun = (extra = ""): ProgramSpec => ({
  options: `${biomeRead} ${extra}`,
  operands: (parsed) =>
    parsed.has("--write", "--fix", "--apply", "--apply-unsafe") ? "write*" : "search*",
  implied: (parsed) =>
    parsed.has("--write", "--fix", "--apply", "--apply-unsafe") ? "write ." : "search .",
  search: sources("*.graphql *.gql *.grit"),
});

const biome: ProgramSpec = {
  options: "--colors=",
  subcommands: {
    "check|lint|format": biomeRun("--write --fix --apply --apply-unsafe --unsafe"),
    ci: biomeRun("--threads="),
    "explain|version": only(""),
    "init|migrate|start|stop|rage|lsp-proxy|search|clean|upgrade": opaque("write execute"),
  },
};

const coverageReports =
  "text text-summary text-lcov lcov lcovonly html html-spa json json-summary clover cobertura teamcity none";

const vitestOptions = `-c=load --config=load -r=enter --root=enter --dir=enter -u!write --update!write -w --watch --run --[no-]watch
  -t= --testNamePattern= --reporter= --outputFile=write --silent=? --hideSkippedTests --coverage --coverage.enabled=?
  --coverage.provider= --coverage.reporter= --coverage.reportsDirectory=write --coverage.include= --coverage.exclude=
  --mode= --globals --dom --pool= --maxWorkers= --minWorkers= --no-file-parallelism --fileParallelism --isolate --no-isolate
  --environment= --passWithNoTests --logHeapUsage --allowOnly --no-color --color --bail= --retry= --exclude= --project=
  --typecheck --shard= --changed=? --sequence.shuffle --sequence.seed= --testTimeout= --hookTimeout= --teardownTimeout=
  --no-cache --clearScreen --no-clearScreen --printConsoleTrace --no-threads --threads --inspect=?!network --inspect-brk=?!network
  --ui!network --json=?write --filesOnly`;

const vitestCode = checks(
  ownOnly(
    "default basic verbose dot json tap tap-flat junit hanging-process github-actions blob html tree agent",
    "--reporter",
  ),
  ownOnly("node jsdom happy-dom edge-runtime", "--environment"),
  ownOnly("forks threads vmThreads vmForks typescript browser", "--pool"),
  ownOnly("v8 istanbul", "--coverage.provider"),
  ownOnly(coverageReports, "--coverage.reporter"),
);

const vitestRun = project(vitestOptions, "name*", vitestCode);

const vitest = firstWord(
  { "run|watch|dev|bench|list|related": vitestRun, init: opaque("execute write network") },
  vitestRun,
);

const jest = project(
  `-c=load --config=load --rootDir=enter --projects=load --roots=load -t= --testNamePattern= --testPathPattern= --testPathPatterns=
   -w= --maxWorkers= -i --runInBand --watch --watchAll=? --coverage=? --collectCoverage=? --coverageDirectory=write --coverageReporters=
   --collectCoverageFrom= --verbose=? --silent=? --ci=? -u!write --updateSnapshot!write --bail=? -b --json --outputFile=write --listTests
   --showConfig --no-cache --cache --clearCache!delete --forceExit --detectOpenHandles -o --onlyChanged --changedSince= --findRelatedTests
   --passWithNoTests --runTestsByPath --testTimeout= --env= --logHeapUsage --colors --no-colors --no-coverage --expand -e --shard=
   --notify --errorOnDeprecated --debug --testPathIgnorePatterns= --maxConcurrency= --randomize --seed=
   --setupFiles=execute --setupFilesAfterEnv=execute --globalSetup=execute --globalTeardown=execute --transform=execute
   --reporters=execute --runner=execute --testRunner=execute --resolver=execute --testEnvironment= --preset=execute --version --help -h`,
  "name*",
  checks(
    ownOnly("node jsdom", "--env", "--testEnvironment"),
    ownOnly(coverageReports, "--coverageReporters"),
  ),
);

const mocha = project(
  `-r=execute --require=execute --config=load --package=load --file=execute --opts=load -R= --reporter= -O= --reporter-option= --spec=name
   -g= --grep= -f= --fgrep= -i --invert -t= --timeout= -s= --slow= -b --bail --exit -w --watch --watch-files= -p --parallel -j= --jobs=
   --recursive --extension= --ignore= --exclude= -u= --ui= -c --color --no-color -C --full-trace --retries= --check-leaks --dry-run
   --forbid-only --forbid-pending -n= --node-option=execute`,
  "name*",
  ownOnly(
    "spec dot nyan tap landing list progress json json-stream min doc markdown xunit",
    "-R",
    "--reporter",
  ),
);

const playwright: ProgramSpec = {
  subcommands: {
    test: project(
      `-c=load --config=load -g= --grep= --grep-invert= --headed --debug --project= --reporter= --workers= -j= --retries= --timeout=
       -x --max-failures= --list --last-failed --only-changed=? --pass-with-no-tests --repeat-each= --shard= --trace= --output=write
       -u=?!write --update-snapshots=?!write --quiet --fully-parallel --forbid-only --no-deps --ui!network --ui-host=host --ui-port=`,
      "name*",
      ownOnly("list line dot json junit html null github blob", "--reporter"),
    ),
    "install|install-deps|uninstall|codegen|open|screenshot|pdf|show-report|show-trace|merge-reports|cr|ff|wk|run-server|launch-server|clear-cache|init-agents":
      opaque("execute network system write"),
  },
};

const bundler = `-c=load --config=load --mode= -m= -w --watch --outDir=write -o=write --output-path=write --sourcemap=? --minify=?
  --emptyOutDir -l= --logLevel= --clearScreen=? --base= -d=write --dir=write --file=write -f= --format= --silent`;

const vite: ProgramSpec = {
  options: bundler,
  subcommands: {
    "build|optimize": project(bundler, "enter"),
    "dev|serve|preview": only(
      "project network",
      `${bundler} --port= --strictPort --host=? --open=? --cors --force`,
      "enter",
    ),
  },
  bare: only("project network", "", "enter"),
};

const turbo: ProgramSpec = {
  effects: "project",
  options: "--cwd=enter --color --no-color",
  subcommands: {
    run: turboRun(),
    "ls|info|telemetry|query|scan|boundaries": only("project network"),
    "prune|login|logout|link|unlink|gen|generate|daemon|watch|bin|config|completion|docs|devtools":
      opaque("execute network write"),
  },
  bare: turboRun(),
};

function turboRun(): ProgramSpec {
  return project(
    "--filter=enter -F=enter --force=? --concurrency= --continue=? --dry-run=? --dry=? --no-cache --only --parallel --output-logs= --log-order= --log-prefix= --affected --ui= --env-mode= --cwd=enter --cache-dir=write --remote-only --summarize=? --graph=?write",
    "verb*",
  );
}

const nx: ProgramSpec = {
  subcommands: {
    "run|test|build|lint|serve|e2e|affected|run-many|format:check|show|report|list|graph": project(
      "-t=verb --target=verb --targets=verb -p=verb --projects=verb --all --parallel=? --skip-nx-cache --skipNxCache --verbose --configuration= -c= --base= --head= --exclude= --json --nxBail",
      "verb*",
    ),
    "generate|g|migrate|add|init|reset|release|connect|login|repair|exec|daemon|import|sync|format:write|format|watch|mcp|configure-ai-agents":
      opaque("execute network write project"),
  },
};

const esbuild: ProgramSpec = {
  // A bundle contains every imported file, wherever it is.
  effects: "project",
  // The result is printed unless a file is named.
  options: `--bundle --minify --minify-syntax --minify-whitespace --minify-identifiers --sourcemap=? --platform= --format= --target=
    --packages= --jsx= --loader= --log-level= --tree-shaking= --splitting --charset= --keep-names --color= --analyze=? --main-fields=
    --conditions= --outfile=write --outdir=write --tsconfig=load --metafile=write --watch=? --serve=?!network --servedir=read
    --allow-overwrite --legal-comments= --global-name=`,
  operands: "read*",
};

export const javascriptTools: ProgramTable = {
  "node|nodejs": prints("--version -v --help -h --v8-options", node),
  deno: prints("--version -V --help -h", deno),
  tsx: versioned({
    ...node,
    options: `${nodeOptions} -e=execute --eval=execute -p=execute --print=execute --tsconfig=load --no-cache --test --run=verb --test-reporter=`,
  }),
  "ts-node|ts-node-esm": prints("--version -v --help -h", {
    options: `-P=load --project=load --cwd=enter -T --transpile-only --esm --files --swc --pretty --skip-project --log-error -H
      -O= --compiler-options= -r=execute --require=execute -e=execute --eval=execute -p=execute --print=execute -C=execute --compiler=execute`,
    style: "posix",
    operands: "code text*",
    check: needsFile,
  }),
  nodemon: launches("execute"),
  "tsc|tsgo": prints("--version -v --help -h --all", withoutArgumentFiles(tscProgram)),
  // It loads plugins that tsconfig.json names.
  "vue-tsc": withoutArgumentFiles({ ...tsc, effects: "project" }),
  eslint: prints("--version -v --help -h", eslint),
  // These run the copy that the project installed, even to print its version.
  eslint_d: eslint,
  // Its configuration is code and can set options of Node, even if it only prints its version.
  mocha: prints("--version -V --help -h", mocha, "project"),
  jest,
  turbo: prints("--version --help -h", turbo, "project"),
  nx: prints("--version --help", nx, "project"),
  oxlint: prints("--version -V --help -h", oxlint),
  prettier: prints("--version -v --help -h", prettier),
  oxfmt: prints("--version -V --help -h", oxfmt),
  biome: prints("--version -V --help -h", biome),
  vitest: prints("--version -v --help -h", vitest),
  playwright: prints("--version -V --help -h", playwright),
  vite: prints("--version -v --help -h", vite),
  "webpack|rollup|rolldown|tsup|tsdown|parcel|swc|babel|next|nuxt|astro|ng|remix|gatsby|storybook|svelte-kit|cypress|ava|tap|c8|nyc|gulp|grunt|lerna|rush|wireit|husky|lint-staged|changeset|semantic-release|release-it|typedoc|api-extractor|size-limit|concurrently|npm-run-all|run-s|run-p|wait-on|serve|http-server|live-server|browser-sync|electron|expo|react-native|eas|prisma|drizzle-kit|sequelize|typeorm|knex|json-server|zx|cross-env|dotenv|rimraf|shx|del-cli|cpy|mkdirp|ncu|npm-check-updates|nvm|fnm|n|volta":
    opaque("execute project"),
  knip: prints(
    "--version -V --help -h",
    project(
      "-c=load --config=load -t=load --tsConfig=load -W=enter --workspace=enter --directory=enter --include= --exclude= --production -p --strict --reporter= --no-progress --no-exit-code --max-issues= --dependencies --exports --files --fix!write --cache!write",
      "",
      ownOnly(
        "symbols compact codeowners json codeclimate markdown disclosure github-actions",
        "--reporter",
      ),
    ),
  ),
  esbuild: prints("--version --help", esbuild),
  "stylelint|xo|standard|tslint|depcheck|madge|dependency-cruiser|depcruise|publint|attw|type-coverage|commitlint|cspell|remark|textlint":
    project("-c=load --config=load --fix!write --quiet --json"),
};
