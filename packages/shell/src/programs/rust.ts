import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import {
  checks,
  lessWith,
  only,
  opaque,
  outsideArguments,
  plainValues,
  prints,
  withoutArgumentFiles,
} from "./spec-builders.ts";

const cargoOptions = `-qv --quiet --verbose --color= --frozen --locked --offline --config=execute -Z=unknown -C=enter
  --manifest-path=load --lockfile-path=load`;

const selection = `-p= --package= --workspace --all --exclude= --lib --bins --bin= --examples --example= --tests --test=
  --benches --bench= --all-targets -F= --features= --all-features --no-default-features`;

const buildOptions = `${cargoOptions} ${selection} -r --release --profile= --target= --target-dir=write --artifact-dir=write
  --message-format= --keep-going --ignore-rust-version --timings=?!write --future-incompat-report -j= --jobs= --no-run
  --no-fail-fast --doc --no-deps --document-private-items --open!execute`;

/** A target that is a file may name the linker to run. */
const plainTarget = plainValues(/^[\w.-]+(?<!\.json)$/, "--target");

/** Build scripts, macros and tests are code of the project. */
const build = (operands = "", style: "gnu" | "posix" = "gnu"): ProgramSpec => ({
  effects: "project",
  options: buildOptions,
  operands,
  style,
  check: checks(plainTarget, ({ operands: words }, record) => outsideArguments(words, record)),
});

/** The words after `--` are options of the compiler; only lint levels are harmless. */
const clippy: ProgramSpec = {
  effects: "project",
  options: `${buildOptions} --fix!write --allow-dirty --allow-staged --allow-no-vcs`,
  operands: "text*",
  check: checks(plainTarget, ({ operands }, record) => {
    const other = operands.find(
      ({ text }) =>
        !/^(?:-[DWAF][\w:-]*|--(?:deny|warn|allow|forbid)(?:=[\w:-]+)?|[\w:]+(?:-[\w:]+)*)$/.test(
          text,
        ),
    );
    if (!other) return;
    record.effect("execute");
    record.deviate(`the compiler gets ${other.text}`);
  }),
};

const format: ProgramSpec = {
  effects: "project",
  options: `${cargoOptions} -p= --package= --all --check --message-format=`,
  operands: (parsed) =>
    parsed.operands.every(({ text }) => text === "--check" || text === "-l") ? "text*" : "unknown*",
  check: checks(lessWith("--check"), (parsed, record) => {
    const { operands } = parsed;
    if (!parsed.has("--check") && !operands.some(({ text }) => text === "--check"))
      record.effect("write");
    record.verbs.push(...operands.map(({ text }) => text));
  }),
};

const cargo: ProgramSpec = {
  options: cargoOptions,
  subcommands: {
    "build|b|check|c|doc|d": build(),
    "test|t|bench": build("text*"),
    "run|r": build("text*", "posix"),
    clippy,
    fmt: format,
    nextest: {
      options: cargoOptions,
      subcommands: { "run|list": build("text*"), "archive|show-config|self": opaque("execute") },
    },
    // It writes a missing or outdated lock file, and settings of the project name the compiler.
    "tree|metadata|pkgid|generate-lockfile|locate-project|read-manifest|verify-project|package":
      only(
        "project write network",
        `${cargoOptions} ${selection} --no-deps --format-version= --filter-platform= -e= --edges= -i=? --invert=? --prune= --depth=
       --no-dedupe -d --duplicates --charset= --prefix= -f= --format= --target= -l --list --no-verify --allow-dirty`,
      ),
    "add|remove|rm|update|up|fetch|vendor": only(
      "network write project",
      `${cargoOptions} ${selection} -DB --dev --build --target= --optional --no-optional --default-features --rename=
       --path=load --git=host --branch= --tag= --rev= --registry= --dry-run -n --precise= --recursive --aggressive -w --breaking`,
    ),
    "search|info": only("network", `${cargoOptions} --limit= --registry= --index=host`),
    clean: only(
      "delete",
      `${cargoOptions} -p= --package= --workspace --release -r --profile= --target= --target-dir=delete --doc --dry-run -n`,
      "",
    ),
    "new|init": {
      effects: "write",
      options: `${cargoOptions} --bin --lib --edition= --name= --vcs= --registry=`,
      operands: "write",
    },
    version: only("project", "-v --verbose", ""),
    "install|uninstall": opaque("network execute write system"),
    "publish|yank|owner|login|logout|report|rustc|rustdoc|fix|config|help|miri|expand|audit|deny|outdated|watch|llvm-cov|machete|udeps|bloat|flamegraph|hack|make|binstall|insta|tarpaulin|semver-checks|sweep|criterion|xtask|leptos|tauri|lambda":
      opaque("execute network project"),
  },
};

/** Only a compilation writes. */
const rustc: ProgramSpec = {
  effects: "project",
  options: `--explain= --print= --crate-name= --crate-type= --edition= -O -g -o=write --out-dir=write --emit= -L=load --extern=execute
    -C= --codegen= -A= -W= -D= -F= --allow= --warn= --deny= --forbid= --cfg= --check-cfg= --target= --test --cap-lints= --color=
    --error-format= -v --verbose -l= --sysroot=execute`,
  operands: "read",
  check: checks(
    plainTarget,
    // These also take a file to write: `--emit=asm=file`.
    plainValues(/^[a-z-]+(?:,[a-z-]+)*$/, "--emit", "--print"),
    plainValues(
      /^(?:opt-level|debuginfo|overflow-checks|debug-assertions|panic|lto|codegen-units|target-cpu|strip)=[\w-]+$/,
      "-C",
      "--codegen",
    ),
    (parsed, record) => {
      // Including the value: a rule for the option alone would cover a compilation.
      for (const { name, value } of parsed.options)
        if (name === "--explain" || name === "--print") record.verbs.push(name, value?.text ?? "");
      if (parsed.operands.length > 0 || !parsed.has("--explain", "--print")) record.effect("write");
    },
  ),
};

/** rustup runs the toolchain named in rust-toolchain.toml of the project, even to print a version. */
export const rust: ProgramTable = {
  cargo: prints("--version -V -vV --list --help -h", cargo, "project"),
  rustc: prints("--version -V -vV --help -h", withoutArgumentFiles(rustc), "project"),
  // It also formats the modules that a file names, wherever they are.
  rustfmt: prints(
    "--version -V --help -h",
    {
      effects: "project",
      options:
        "--check -l --files-with-diff --edition= --style-edition= --color= --config-path=load --backup -q -v",
      operands: (parsed) => (parsed.has("--check") ? "read*" : "write*"),
      check: checks(lessWith("--check"), (parsed, record) => {
        if (!parsed.has("--check")) record.effect("write");
      }),
    },
    "project",
  ),
  rustup: {
    // It runs the project's toolchain, and may install it first.
    effects: "project network",
    options: "-qv --quiet --verbose --version -V --help -h",
    bare: { effects: "project" },
    subcommands: {
      "show|which|check": only("project network", "-v --verbose --toolchain=execute", "verb"),
      "update|install|uninstall|default|toolchain|target|component|override|run|self|set|doc|man|completions|upgrade|up":
        opaque("execute network system"),
    },
  },
  "rustdoc|rust-analyzer|wasm-pack|trunk|bindgen|cbindgen|cross|clippy-driver|cargo-clippy|cargo-fmt|cargo-nextest|maturin":
    opaque("execute project"),
};
