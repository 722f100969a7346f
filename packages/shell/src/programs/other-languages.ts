import { readCommand } from "../arguments/read-command.ts";
import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import { perl } from "./perl.ts";
import { phpTools } from "./php.ts";
import {
  checks,
  launches,
  lessWith,
  needsFile,
  only,
  opaque,
  outsideArguments,
  plainValues,
  prints,
  project,
  runsCode,
  splitAttached,
  withoutArgumentFiles,
} from "./spec-builders.ts";
import { rubyTools } from "./ruby.ts";

const classPath = `-cp=load -classpath=load --class-path=load -p=load --module-path=load`;

const javaOptions = `${classPath} -jar -m=verb --module=verb -ea -enableassertions -da -esa -server -client -showversion
  --enable-preview --source= --add-modules= --add-opens= --add-exports= -D=execute -X=`;

/** Runs a class, a jar or one source file. */
const java: ProgramSpec = {
  effects: "project",
  style: "dash-posix",
  options: javaOptions,
  operands: (parsed) => {
    if (parsed.has("-m", "--module")) return "text*";
    const [first] = parsed.operands;
    return parsed.has("-jar") || first?.text.endsWith(".java") ? "code text*" : "verb text*";
  },
  check: checks(plainValues(/^m[nsx]\d+[kmg]?$|^ss\d+[kmg]?$/i, "-X"), (parsed, record) => {
    if (!parsed.has("-m", "--module")) needsFile(parsed, record);
    outsideArguments(parsed.operands.slice(1), record);
  }),
};

const javaProgram = withoutArgumentFiles({
  ...java,
  read: (words, record) => readCommand(java, splitAttached("DX", javaOptions, words), record),
});

/** Annotation processors on the class path run while it compiles. */
const javac = withoutArgumentFiles({
  effects: "project write",
  style: "dash",
  options: `${classPath} -d=write -s=write -h=write -sourcepath=load --source-path=load --module-source-path=load --release= -source=
    --source= -target= --target= -g -g:none -nowarn -verbose -deprecation -Xlint -Xlint:all -Xlint:deprecation
    -Xlint:unchecked -Werror -parameters -encoding= -proc:none --enable-preview -implicit:none -processor=execute
    -processorpath=execute --processor-path=execute`,
  operands: "read*",
});

const mixOptions =
  "--no-compile --no-deps-check --no-start --force --warnings-as-errors --all-warnings --verbose --quiet";

/** mix.exs is code. */
const mix: ProgramSpec = {
  effects: "project",
  options: "--version -v --help -h",
  bare: { effects: "project" },
  subcommands: {
    test: project(
      `${mixOptions} --only= --exclude= --include= --trace --seed= --max-failures= --max-cases= --stale --failed --cover --color --no-color --slowest= --partitions= --timeout= --formatter=execute -r=execute --require=execute`,
      "name*",
    ),
    "compile|xref|deps|deps.tree|credo|dialyzer|help|hex.outdated|phx.routes|ecto.migrations":
      project(`${mixOptions} --strict --format= --all --only=`, "verb*"),
    format: {
      effects: "project",
      options: "--check-formatted --dry-run --dot-formatter=load --check-equivalent",
      operands: (parsed) => (parsed.has("--check-formatted", "--dry-run") ? "read*" : "write*"),
      check: checks(lessWith("--check-formatted", "--dry-run"), (parsed, record) => {
        if (!parsed.has("--check-formatted", "--dry-run")) record.effect("write");
      }),
    },
    "deps.get|deps.update|deps.compile|deps.unlock|deps.clean": only(
      "project network write",
      `${mixOptions} --all --only= --check-locked --unused --check-unused`,
    ),
    "phx.server|ecto.migrate|ecto.create|ecto.setup|ecto.reset|ecto.rollback|assets.build|assets.deploy|release":
      only("project network write", `${mixOptions} --overwrite --step= -n= --all`, "verb*"),
    "run|eval|do|new|archive.install|escript.install|escript.build|local.hex|local.rebar|hex.publish|cmd|phx.new|clean|profile.fprof":
      opaque("execute network write"),
  },
};

const cabalOptions =
  "-v=? --verbose=? -j=? --jobs=? --enable-tests --disable-tests --enable-benchmarks --enable-coverage --test-show-details= --test-options= -O=? --dry-run --only-dependencies --offline --project-dir=enter --project-file=load --builddir=write -w=execute --with-compiler=execute --ghc-options=execute --ghc-option=execute";

const stackOptions =
  "--fast --pedantic --test --no-run-tests --bench --no-run-benchmarks --ta= --test-arguments= --flag= --file-watch --dry-run --only-dependencies --system-ghc --no-nix --stack-yaml=load --work-dir=write --resolver= --snapshot= -w=execute --with-gcc=execute --ghc-options=execute --copy-bins!write";

/** It sends usage statistics. */
const dartFormat: ProgramSpec = {
  effects: "network write",
  options:
    "-o= --output= --show= --set-exit-if-changed -l= --line-length= --page-width= --indent= --language-version= --summary= -v --verbose",
  operands: (parsed) =>
    parsed.values("-o", "--output").some((value) => value !== "write") ? "read*" : "write*",
};

const dartTool = (more: string): ProgramSpec => ({
  effects: more,
  options:
    "-n= --name= --plain-name= -t= --tags= -x= --exclude-tags= -j= --concurrency= -r= --reporter= --coverage=?write --fatal-infos --fatal-warnings --no-fatal-warnings --format= --update-goldens!write --no-pub --timeout= --run-skipped --dry-run --apply!write --machine -d= --dart-define=execute",
  operands: "name*",
});

const duneOptions =
  "-j= --profile= -w --watch --display= --force -f --auto-promote!write --release --error-reporting= --root=enter --build-dir=write --workspace=load -p= --only-packages= --no-buffer --verbose";

export const otherLanguages: ProgramTable = {
  ...rubyTools,
  ...phpTools,
  perl: prints("--version -v --help -h", perl),
  // The JVM writes performance data to the temporary folder.
  java: prints("-version --version -help --help", javaProgram, "write"),
  javac: prints("-version --version -help --help", javac, "write"),
  "jar|jshell|jdb|javap|javadoc|keytool|jps|jstack|jmap|jcmd|jlink|jpackage|kotlin|kotlinc|ktlint|detekt|scala|scalac|scalafmt|groovy|groovyc|jruby-complete":
    opaque("execute write"),
  "lua|luajit": prints("-v", runsCode("-E -W -e=execute -l=execute -i!execute")),
  luac: prints("-v", {
    options: "-l -p -s -o=write",
    operands: "read*",
    check: (parsed, record) => {
      if (parsed.has("-p")) record.verbs.push("-p");
      else record.effect("write");
    },
  }),
  "luacheck|busted|luarocks|stylua|selene|love": opaque("execute project"),
  Rscript: prints(
    "--version --help",
    runsCode(
      "--vanilla --verbose --no-save --no-restore --no-environ --no-site-file --no-init-file --slave --quiet -e=execute --default-packages=execute",
    ),
  ),
  R: prints("--version --help", opaque("execute project")),
  elixir: runsCode(
    "-e=execute --eval=execute -r=execute -S=execute -pa=load -pz=load --no-halt",
    "dash-posix",
  ),
  mix,
  "iex|erl|erlc|escript|rebar3|werl|ct_run|dialyzer|gleam": opaque("execute project"),
  ghc: prints("--version -V --numeric-version --help", {
    effects: "project write",
    style: "dash",
    options:
      "-e=execute -O -O0 -O1 -O2 -Wall -Werror -v -threaded -dynamic -static -main-is= -o=write -outputdir=write -odir=write -hidir=write -package= --make -fno-code -c",
    operands: "read*",
  }),
  "runghc|runhaskell": runsCode(""),
  cabal: prints("--version -V --numeric-version --help -h", {
    options: cabalOptions,
    subcommands: {
      "build|v2-build|test|v2-test|bench|check|configure|haddock": project(cabalOptions, "verb*"),
      "run|v2-run": { ...project(cabalOptions, "verb text*"), style: "posix" },
      "exec|repl|install|update|get|init|upload|clean|sdist|freeze|outdated|list|info|user-config|gen-bounds|fetch":
        opaque("execute network write project"),
    },
  }),
  stack: prints("--version --numeric-version --help -h", {
    options: stackOptions,
    subcommands: {
      "build|test|bench|haddock": project(stackOptions, "verb*"),
      exec: launches("project", stackOptions),
      "run|ghc|ghci|repl|runghc|script|install|setup|update|upgrade|new|init|clean|purge|upload|eval|sdist|config|path|ls|templates|unpack|dot|hoogle|docker|list":
        opaque("execute network write project"),
    },
  }),
  "ghci|ghcup|hlint|ormolu|fourmolu|hpack|haskell-language-server|purs|spago|elm|idris2|agda|lean|lake|coqc":
    opaque("execute project"),
  julia: prints(
    "--version -v --help -h",
    runsCode(
      "-q --quiet -e=execute -E=execute -L=execute --load=execute -i!execute -p= --procs= -t= --threads= --project=?load -J=load --sysimage=load --startup-file= --history-file= --color= --check-bounds= --banner= --compile= -O=? --depwarn= --code-coverage=?!write",
    ),
  ),
  dart: prints("--version --help -h", {
    options: "--disable-analytics --suppress-analytics -v --verbose",
    subcommands: {
      run: runsCode(
        "-v --verbose --enable-asserts -D=execute --define=execute --enable-vm-service!network",
      ),
      "test|analyze": dartTool("project"),
      format: dartFormat,
      "pub|fix|compile|create|doc|devtools|info|language-server|tooling-daemon": opaque(
        "execute network write project",
      ),
    },
  }),
  // Every command updates its own files.
  flutter: {
    effects: "project network write",
    options: "--version --help -h -v --verbose --suppress-analytics --no-version-check --machine",
    bare: {},
    subcommands: {
      "test|analyze": dartTool("project network write"),
      "doctor|devices|config|channel": only("project network write", "-v --verbose --list"),
      "run|build|pub|create|clean|upgrade|install|drive|attach|gen-l10n|precache|emulators|logs|screenshot|symbolize|assemble|downgrade|custom-devices|bash-completion":
        opaque("execute network write system project"),
    },
  },
  ocaml: prints(
    "-version --version -vnum -help",
    runsCode("-e=execute -I=load -init=execute -noinit -w= -nopromptcont", "dash-posix"),
  ),
  dune: prints("--version --help", {
    options: duneOptions,
    subcommands: {
      "build|b|test|runtest|describe|show": project(duneOptions, "verb*"),
      exec: launches("project", duneOptions),
      "fmt|format|clean|promote|promotion|init|install|uninstall|utop|top|subst|rpc|cache|upgrade|pkg|ocaml|tools|printenv|external-lib-deps|installed-libraries|ocaml-merlin|rules|shutdown|coq|diagnostics|internal|monitor|help":
        opaque("execute write delete project"),
    },
  }),
  "ocamlc|ocamlopt|ocamlfind|ocamlbuild|ocamlformat|opam|esy|utop|rescript|reason":
    opaque("execute write project"),
  nim: prints("--version -v --help -h", opaque("execute project write")),
  "nimble|nimpretty|crystal|shards|v|odin|racket|raco|guile|sbcl|clisp|chicken|gforth|swipl|octave|matlab|maxima|sage|gap|scilab|haxe|wasmtime|wasmer|wasm-opt|solc|forge|cast|anvil|hardhat|truffle|move|aptos|sui|cairo|scarb":
    opaque("execute project"),
  lein: {
    effects: "project network write",
    options: "-o -U -v --version -h --help",
    operands: "verb*",
  },
  "clojure|clj|bb|nbb|clj-kondo|cljfmt|shadow-cljs": opaque("execute project network"),
  "tclsh|wish": runsCode(""),
  "osascript|automator|shortcuts|jxa": opaque("execute system"),
};
