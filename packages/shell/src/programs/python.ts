import { readCommand } from "../arguments/read-command.ts";
import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import type { Word } from "../parse/word.ts";
import { pythonPackages } from "./python-packages.ts";
import { pythonTools } from "./python-tools.ts";
import { only, opaque, outsideArguments, prints, project, runsCode } from "./spec-builders.ts";

const tools: ProgramTable = { ...pythonPackages, ...pythonTools };

/** Modules of the standard library. */
const ownModules: ProgramTable = {
  "json.tool": {
    options: "--sort-keys --no-ensure-ascii --json-lines --indent= --tab --no-indent --compact",
    operands: "read write",
  },
  "http.server": only(
    "network",
    "-b= --bind= -d=enter --directory=enter -p= --protocol= --cgi!execute",
    "text",
  ),
  venv: {
    effects: "write",
    options:
      "--system-site-packages --symlinks --copies --clear!delete --upgrade --without-pip --prompt= --upgrade-deps!network",
    operands: "write*",
  },
  py_compile: { effects: "write", options: "-q --quiet", operands: "read*" },
  compileall: {
    effects: "write",
    options: "-bflq -r= -j= -x= -i=read --invalidation-mode=",
    operands: "read*",
    implied: "read .",
  },
  unittest: project(
    `-vqfcb --verbose --quiet --failfast --catch --buffer --locals -k= --durations= -s=enter --start-directory=enter
     -p= --pattern= -t=enter --top-level-directory=enter`,
    "text*",
    ({ operands }, record) => outsideArguments(operands, record),
  ),
  ast: {
    options: "-a --include-attributes --no-type-comments -i= --indent= -m= --mode=",
    operands: "read",
  },
  tokenize: { options: "-e --exact", operands: "read" },
  dis: { options: "-COSP --show-caches --show-offsets --show-positions", operands: "read" },
  pydoc: project("-k= -w!write -b!network -p=!network -n=!network", "text*"),
  "platform|sysconfig|this": only("", "", ""),
  // They evaluate code in their arguments or input, or start a program.
  "timeit|pdb|bdb|cProfile|profile|trace|runpy|code|asyncio|pty|pickle|idlelib|doctest|webbrowser|turtledemo|sqlite3|ensurepip|zipapp|IPython":
    opaque("execute"),
  "build|wheel|setuptools|notebook|nbconvert|django": opaque("execute project network"),
  "zipfile|tarfile|gzip|bz2|lzma|shutil|lib2to3|fileinput|uu|quopri": opaque("write delete"),
  "smtplib|ftplib|telnetlib|nntplib|xmlrpc.server|wsgiref.simple_server|poplib|imaplib":
    opaque("network execute"),
};

const modules: ReadonlyMap<string, ProgramSpec> = new Map(
  Object.entries({ ...tools, ...ownModules }).flatMap(([names, spec]) =>
    names.split("|").map((name) => [name, spec] as const),
  ),
);

/** Without `-I` or `-P`, the working folder is searched first: a `json.py` there would run. */
function runModule(
  name: Word,
  words: readonly Word[],
  isIsolated: boolean,
  record: Recorder,
): void {
  if (name.known !== "fixed") return record.fail("the module that it runs is not known");
  record.verbs.push("-m", name.text);
  if (!isIsolated) record.effect("project");
  const spec = modules.get(name.text);
  if (spec) return readCommand(spec, words, record);
  if (isIsolated) record.effect("execute");
  // The arguments of other modules are not known, so a rule covers only these words.
  record.verbs.push(...words.map(({ text }) => text));
  if (words.some(({ known }) => known !== "fixed"))
    record.fail("its arguments are not known before it runs");
  outsideArguments(words, record);
}

/** A category with a dot makes `-W` import the module before the dot. */
const plainWarning =
  /^(?:ignore|default|error|always|all|module|once)(?::[^:]*(?::[A-Za-z]*(?::[^:]*(?::\d*)?)?)?)?$/;
const plainFeature =
  /^(?:dev|utf8(?:=[01])?|importtime|faulthandler|tracemalloc(?:=\d+)?|no_debug_ranges|int_max_str_digits=\d+)$/;

function runsInput(record: Recorder): void {
  record.effect("execute");
  record.fail("it runs the code in its input");
}

/** `-c` and `-m` end the options of Python, even at the end of a bundle: `-Im json.tool`. */
function readPython(words: readonly Word[], record: Recorder): void {
  let isIsolated = false;
  for (let at = 0; ; at += 1) {
    const word = words[at];
    if (!word || (word.text === "-" && word.known === "fixed")) return runsInput(record);
    if (!word.text.startsWith("-")) return readCommand(runsCode(""), words.slice(at), record);
    const match = /^-([bBdEIOPqRsSuvx]*)([cimWX]?)(.*)$/su.exec(word.text);
    if (!match || word.known !== "fixed" || (match[2] === "" && match[3] !== ""))
      return record.fail(`the option ${word.text} is not known`);
    const [, flags = "", letter, rest = ""] = match;
    isIsolated ||= /[IP]/.test(flags);
    if (letter === "") continue;
    if (letter === "i") return runsInput(record);
    const value = rest === "" ? words[at + 1] : { ...word, text: rest };
    if (!value) return record.fail(`the option -${letter} has no value`);
    const after = words.slice(rest === "" ? at + 2 : at + 1);
    if (letter === "m") return runModule(value, after, isIsolated, record);
    if (letter === "c") {
      record.effect("execute");
      record.deviate(`-c runs ${value.text}`);
      return outsideArguments(after, record);
    }
    const plain = letter === "W" ? plainWarning : plainFeature;
    if (value.known !== "fixed" || !plain.test(value.text))
      return record.fail(`-${letter} ${value.text} may run or write something`);
    if (rest === "") at += 1;
  }
}

const interpreter: ProgramSpec = { read: readPython };

export const python: ProgramTable = {
  ...tools,
  "python|python2|python3|pypy|pypy3": prints("--version -V -VV --help -h", interpreter),
  "ipython|ipython3|bpython|ptpython": opaque("execute"),
};
