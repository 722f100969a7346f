import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ProgramTable, ParsedArguments } from "../arguments/program-spec.ts";
import { cCompilers } from "./c-compilers.ts";
import { goTools } from "./go.ts";
import { jvmBuilds } from "./jvm-builds.ts";
import {
  checks,
  lessWith,
  modes,
  only,
  opaque,
  outsideArguments,
  plainValues,
  prints,
  project,
  withoutArgumentFiles,
} from "./spec-builders.ts";
import { rust } from "./rust.ts";

/** Even a dry run evaluates `$(shell …)` in a makefile. A variable in the arguments may name a program to run. */
const make: ProgramSpec = {
  effects: "project",
  options: `-BbdeikmnpqrRsSwtLv -j=? --jobs=? -l=? --load-average=? -O=? --output-sync=? -o= --old-file= --assume-old= -W= --what-if=
    --new-file= --assume-new= --always-make --debug=? --environment-overrides --ignore-errors --keep-going --no-keep-going
    --stop --just-print --dry-run --recon --print-data-base --question --quiet --silent --no-silent --touch!write --trace
    --no-builtin-rules --no-builtin-variables --print-directory --no-print-directory --warn-undefined-variables --shuffle=?
    --check-symlink-times -C=enter --directory=enter -f=load --file=load --makefile=load -I=load --include-dir=load
    -E=execute --eval=execute`,
  operands: "verb*",
  check: (parsed, record) => {
    const variable = parsed.operands.find(({ text }) => text.includes("="));
    if (variable) {
      record.effect("execute");
      record.deviate(`it sets ${variable.text}`);
    }
    if (parsed.has("-t")) record.effect("write");
    outsideArguments(parsed.operands, record);
  },
};

/** Most variables of CMake may name a program: a compiler, a launcher, a toolchain file. */
const plainVariables = plainValues(
  /^(?:CMAKE_BUILD_TYPE|CMAKE_EXPORT_COMPILE_COMMANDS|BUILD_SHARED_LIBS|BUILD_TESTING|CMAKE_CXX_STANDARD|CMAKE_C_STANDARD|CMAKE_VERBOSE_MAKEFILE)(?::[A-Z]+)?=\w*$/,
  "-D",
);

/** Options for the build tool after `--` are not known. */
const cmakeBuild: ProgramSpec = {
  effects: "project",
  options:
    "-j=? --parallel=? -t=verb --target=verb --config= --clean-first!delete -v --verbose --use-stderr --preset=verb --list-presets",
  operands: "verb",
  check: ({ operands: [folder] }, record) => {
    if (folder) record.path(folder, "read");
  },
};

const cmake = modes(
  {
    "--build": cmakeBuild,
    "--install": only(
      "write system project",
      "--prefix=write --config= --component= --strip -v --verbose --default-directory-permissions=",
      "read",
    ),
    "-P|-E|--find-package|--open|--workflow": opaque("execute project write"),
    "--help-command|--help-module|--help-variable|--help-property|--help-policy": only(
      "",
      "",
      "text",
    ),
  },
  {
    effects: "project write",
    options: `-S=enter -B=write -G= -T= -A= -D= -U= -C=load --preset=verb --toolchain=execute --install-prefix=name -W=
      --fresh!delete -N -L --log-level= --log-context --trace --trace-expand --graphviz=write --warn-uninitialized
      --no-warn-unused-cli --list-presets=? --debug-output --debug-find`,
    operands: "enter",
    check: plainVariables,
  },
);

const ninja: ProgramSpec = {
  effects: "project",
  options: "-C=enter -f=load -j= -k= -l= -n -v --verbose --quiet -d= -t=unknown -w=",
  operands: "verb*",
};

const mesonOptions =
  "-C=enter -D=execute -v --verbose -j= --jobs= --clean --wipe!delete --reconfigure --buildtype= --prefix=name --suite= --no-rebuild --list --print-errorlogs --repeat= -t= --timeout-multiplier= --native-file=execute --cross-file=execute --benchmark --wrapper=execute --wrap=execute --gdb!execute --setup= --logbase=";

const meson: ProgramSpec = {
  subcommands: {
    setup: only("project write network", mesonOptions, "write enter"),
    "compile|test": project(mesonOptions, "verb*"),
    "introspect|configure": only(
      "project",
      `${mesonOptions} -a --all --targets --tests --dependencies --buildoptions --projectinfo --installed -i --indent`,
      "read",
    ),
    "install|init|dist|wrap|subprojects|devenv|rewrite|format|env2mfile|unstable-coredata|reprotest":
      opaque("execute write network"),
  },
};

/** A workspace may contain `tools/bazel`, and its settings name programs, for every command. */
const bazel: ProgramSpec = {
  effects: "project",
  options: "--[no-]color",
  subcommands: {
    "build|test|coverage|query|cquery|aquery|info|version|help|fetch|sync|mod": project(
      `--config=verb -c= --compilation_mode= --test_output= --test_filter= --test_arg= --keep_going -k --jobs= -j= --output=
       --show_progress --noshow_progress --verbose_failures --nocache_test_results --cache_test_results= --runs_per_test= -s --subcommands
       --noimplicit_deps --notool_deps --color= --curses= --test_tag_filters= --build_tests_only`,
      "verb*",
    ),
    "run|clean|shutdown|mobile-install|dump|analyze-profile|canonicalize-flags|license|print_action|vendor|config":
      opaque("execute project delete"),
  },
};

function taskArguments({ operands }: ParsedArguments, record: Recorder): void {
  const variable = operands.find(({ text }) => text.includes("="));
  if (variable) record.deviate(`it sets ${variable.text}`);
  outsideArguments(operands, record);
}

/** A recipe may insert its arguments into a shell line, so every word is part of the action. */
const just: ProgramSpec = {
  effects: "project",
  options: `-nqluv --dry-run --quiet --list --summary --verbose --dump --evaluate --show=verb -s=verb --usage=verb --yes --unstable
    --color= --no-color --fmt!write --check --unsorted --variables --groups --changelog --one --no-deps --timestamp --highlight
    --list-heading= --list-prefix= -f=load --justfile=load -d=enter --working-directory=enter -g --global-justfile
    --shell=execute --shell-arg=execute --set=execute -c=execute --command=execute -E=load --dotenv-path=load
    --dotenv-filename=load --chooser=execute --choose!execute -e!execute --edit!execute`,
  operands: "verb*",
  check: taskArguments,
};

const task: ProgramSpec = {
  effects: "project",
  options: `-abcfklnpsvxyw --list --list-all --summary --dry --force --parallel --silent --verbose --yes --watch --status --json --color
    --exit-code -C= --concurrency= -o= --output= -I= --interval= -t=load --taskfile=load -d=enter --dir=enter -g --global
    --init!write -i!write --sort= --download!network --offline`,
  operands: "verb*",
  check: taskArguments,
};

/** MSBuild also accepts `/p:name=value`, and such a property may name a command to run. */
const plainArguments: ProgramSpec["check"] = ({ operands }, record) => {
  const option = operands.find(({ text }) => /^\/[a-z]+(?::|$)/i.test(text));
  if (!option) return;
  record.effect("execute");
  record.deviate(`the build gets ${option.text}`);
};

const dotnetBuild: ProgramSpec = {
  effects: "project",
  options: `-c= --configuration= -f= --framework= -r= --runtime= -v= --verbosity= --no-build --no-restore --nologo --no-incremental
    --no-dependencies --filter= -l= --logger= --collect= --blame -t --list-tests --os= -a= --arch= --self-contained=? --sc=?
    --force --interactive --tl=? --launch-profile= --no-launch-profile --verify-no-changes --include= --exclude= --severity=
    -o=write --output=write --results-directory=write --artifacts-path=write -s=load --settings=load --project=load
    --source=host --configfile=load --packages=write --diag=write -p=execute --property=execute
    --test-adapter-path=execute -e=execute --environment=execute`,
  operands: "name*",
  check: checks(
    plainArguments,
    plainValues(/^(?:trx|console|html)(?:;verbosity=\w+)?$/, "-l", "--logger"),
  ),
};

/** global.json selects the SDK that runs, even to print its version. */
const dotnet: ProgramSpec = {
  effects: "project",
  options: "-d --diagnostics --version --info --list-sdks --list-runtimes -h --help",
  bare: {},
  subcommands: {
    "build|test|run|clean|msbuild|restore|publish|pack|watch|list|vstest":
      withoutArgumentFiles(dotnetBuild),
    format: withoutArgumentFiles({
      ...dotnetBuild,
      check: checks(plainArguments, lessWith("--verify-no-changes"), (parsed, record) => {
        if (!parsed.has("--verify-no-changes")) record.effect("write");
      }),
    }),
    "add|remove|new|nuget|tool|workload|sdk|store|help|exec|fsi|dev-certs|user-secrets|ef|package|reference|solution|sln|build-server":
      opaque("execute network write"),
  },
};

const swiftOptions =
  "-c= --configuration= -v --verbose -q --quiet -j= --jobs= --filter= --skip= --parallel --enable-code-coverage --show-bin-path --product= --target= --list-tests --package-path=enter --scratch-path=write --build-path=write --skip-build --disable-sandbox!execute";

const swift: ProgramSpec = {
  subcommands: {
    "build|test": project(swiftOptions, ""),
    run: { ...project(swiftOptions, "verb text*"), style: "posix" },
    "package|repl|sdk": opaque("execute network write project"),
  },
};

const zig: ProgramSpec = {
  subcommands: {
    "version|zen": only("", "", ""),
    "env|libc|std|targets": opaque("environment execute"),
    build: project(
      "-j= --summary= --prominent-compile-errors --verbose -p=write --prefix=write --build-file=load --cache-dir=write --global-cache-dir=write --search-prefix=load --fetch!network -l --list-steps",
      "verb*",
    ),
    fmt: {
      options: "--check --ast-check --color= --stdin",
      operands: (parsed) => (parsed.has("--check") ? "read*" : "write*"),
      check: (parsed, record) => {
        if (parsed.has("--check")) record.verbs.push("--check");
        else record.effect("write");
      },
    },
    "test|run|build-exe|build-lib|build-obj|cc|c++|init|fetch|translate-c|ar|ld|objcopy|reduce|rc|lib|dlltool|ranlib|ast-check":
      opaque("execute project write network"),
  },
};

/**
 * `-x` and `-a` would follow the files that a script sources. So does `external-sources=true` in the project's
 * .shellcheckrc, and lines of those files are printed.
 */
const shellcheck: ProgramSpec = {
  options: `-e= --exclude= -i= --include= -f= --format= -s= --shell= -S= --severity= -o= --enable= -C=? --color=? -W= --wiki-link-count=
    --norc --rcfile=load -P=load --source-path=load --list-optional --extended-analysis= -V --version --help`,
  operands: "read*",
  check: (parsed, record) => {
    if (!parsed.has("--norc", "--list-optional", "-V", "--version", "--help"))
      record.effect("project");
  },
};

/** Build tools and compilers for native code, Rust, Go and the JVM, and task runners. */
export const nativeBuilds: ProgramTable = {
  ...cCompilers,
  ...goTools,
  ...jvmBuilds,
  ...rust,
  "make|gmake": prints("--version -v --help -h", make),
  cmake: prints("--version -version --help -h --help-command-list --help-module-list", cmake),
  "ninja|samu": prints("--version --help -h", ninja),
  meson: prints("--version -v --help -h", meson),
  "bazel|bazelisk": bazel,
  just: prints("--version -V --help -h", just),
  "task|go-task": prints("--version --help -h", task),
  dotnet,
  swift,
  zig: prints("--help -h", zig),
  shellcheck,
  "xcodebuild|xcrun|msbuild|buck|buck2|pants|scons|waf|premake|premake5|xmake|ctest|cpack|ccmake|qmake|autoconf|automake|autoreconf|libtool|conan|vcpkg|nix|nix-build|nix-shell|devbox|direnv|mise|asdf|tilt|skaffold|earthly|dagger|act|swiftc|swiftlint|swiftformat|pod|fastlane|carthage|xcodegen|tuist|shfmt|checkmake|hadolint|remake|bmake|nmake|imake|invoke-build|rez|spack|redo|tup|checkbashisms":
    opaque("execute project"),
};
