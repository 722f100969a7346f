import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import {
  checks,
  everyFile,
  only,
  opaque,
  outsideArguments,
  plainValues,
  prints,
  project,
} from "./spec-builders.ts";

const buildFlags = `-C=enter -a -n -p= -race -msan -asan -cover -covermode= -coverpkg= -v -work -x -asmflags=execute -buildmode=
  -buildvcs=? -compiler= -gccgoflags=execute -gcflags= -installsuffix= -json -ldflags= -linkshared -mod= -modcacherw
  -modfile=load -overlay=load -pgo=read -pkgdir=write -tags= -trimpath -toolexec=execute`;

const testFlags = `-run= -skip= -bench= -benchmem -benchtime= -blockprofile=write -blockprofilerate= -count= -coverprofile=write -cpu=
  -cpuprofile=write -failfast -fullpath -fuzz= -fuzztime= -fuzzminimizetime= -list= -memprofile=write -memprofilerate=
  -mutexprofile=write -outputdir=write -parallel= -short -shuffle= -timeout= -trace=write -vet= -c!write -o=write -exec=execute`;

/** The linker and the compiler take options that name programs to run. */
const plainFlags = checks(
  plainValues(/^(?:\s*(?:-[sw]|-X[\s=][\w./-]+=[\w.:+/-]*))*\s*$/, "-ldflags"),
  plainValues(/^(?:[\w./-]+=)?(?:\s*-[NlmBS])*$/, "-gcflags"),
  plainValues(/^(?:gc|gccgo)$/, "-compiler"),
  (parsed, record) => {
    if (parsed.values("-mod").some((value) => value === "mod")) record.effect("write");
    outsideArguments(parsed.operands, record);
  },
);

/** Compiling runs the tools that cgo lines and settings name, and may download modules. */
const go = (effects: string, flags = "", operands = "text*"): ProgramSpec => ({
  effects,
  options: `${buildFlags} ${flags}`,
  operands,
  style: "dash",
  check: plainFlags,
});

const isRemote = (text: string): boolean => text.includes("@");

const goSpec: ProgramSpec = {
  style: "dash",
  subcommands: {
    build: go("project", "-o=write"),
    test: go("project", testFlags),
    vet: go("project", "-vettool=execute -c= -fix!write -diff"),
    run: {
      ...go("project", "-exec=execute"),
      style: "dash-posix",
      operands: ({ operands: [first] }) =>
        first && isRemote(first.text) ? "execute text*" : "code text*",
      check: checks(plainFlags, ({ operands: [first] }, record) => {
        if (!first) record.fail("no program to run is given");
        else if (isRemote(first.text)) record.effect("network");
      }),
    },
    list: go(
      "project",
      "-f= -m -u!network -versions!network -deps -e -export -find -compiled -test -retracted -reuse=read",
    ),
    generate: go("project", "-run= -skip="),
    doc: {
      ...only("project network", "-C=enter -all -c -cmd -short -src -u -http"),
      style: "dash",
    },
    "get|install": go("network write project", "-u=? -t -d -tool"),
    fmt: go("write project"),
    fix: go("write project", "-fix= -diff"),
    mod: {
      style: "dash",
      subcommands: {
        "tidy|download|vendor|init|edit|graph|why|verify": {
          ...only(
            "network write project",
            `-C=enter -v -e -x -json -m -vendor -go= -compat= -diff -modfile=load -modcacherw -o=write -require= -droprequire=
             -replace=load -dropreplace= -exclude= -module= -print -fmt -toolchain= -reuse=read`,
          ),
          style: "dash",
        },
      },
    },
    env: {
      style: "dash",
      effects: "environment",
      options: "-C=enter -json -changed -w!execute -u!execute",
      operands: "text*",
    },
    // Go downloads and runs the toolchain named in go.mod, even to print its version or help.
    version: { effects: "project", style: "dash", options: "-m -v -json", operands: "read*" },
    clean: go("delete", "-i -r -cache -testcache -modcache -fuzzcache"),
    help: only("project"),
    "tool|work|telemetry|bug": opaque("execute project"),
  },
};

const goFiles = () => ({ ...everyFile(), includes: ["*.go"] });

const gofmt: ProgramSpec = {
  style: "dash",
  options: "-d -e -l -s -w -r= -cpuprofile=write",
  operands: (parsed) => (parsed.has("-w") ? "write*" : "search*"),
  search: goFiles,
};

const lintOptions = `-v --verbose --color= -c=load --config=load --no-config --fix!write --fast --fast-only -E= -D= --enable= --disable=
  --default= --enable-only= --enable-all --disable-all -p= --presets= --timeout= -j= --concurrency= -n --new --new-from-rev=
  --new-from-merge-base= --new-from-patch=read --whole-files --tests=? --build-tags= --modules-download-mode=
  --issues-exit-code= --max-issues-per-linter= --max-same-issues= --allow-parallel-runners --allow-serial-runners
  --show-stats --path-prefix= --path-mode=`;

export const goTools: ProgramTable = {
  go: goSpec,
  gofmt,
  "golangci-lint": prints("--version --help -h", {
    effects: "project",
    options: "-v --verbose --color=",
    subcommands: {
      run: project(lintOptions, "name*"),
      "linters|version|formatters": only("project", lintOptions, "verb"),
      fmt: only("project write", `${lintOptions} -d --diff --stdin`, "write*"),
      "custom|completion|migrate|cache|config|help": opaque("execute network write delete"),
    },
  }),
  "goimports|gofumpt|staticcheck|golint|revive|errcheck|gopls|dlv|gotestsum|goreleaser|air|mockgen|stringer|wire|buf|protoc|ko|mage|ginkgo|sqlc|govulncheck|gosec":
    opaque("execute project"),
};
