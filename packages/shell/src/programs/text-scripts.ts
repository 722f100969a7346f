import { optionTable, readOptions } from "../arguments/options.ts";
import { readCommand } from "../arguments/read-command.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";

const inPlace = (parsed: ParsedArguments): string =>
  parsed.has("-i", "--in-place", "--inplace") ? "write*" : "read*";

// `-l` and `-I` mean different things to GNU and BSD sed; `-f` reads a script that is not looked at.
const sedSpec: ProgramSpec = {
  options:
    "-nErsuz -i=?!write -e=sed --in-place=?!write --expression=sed --quiet --silent --regexp-extended --separate " +
    "--unbuffered --null-data --zero-terminated --posix --sandbox --debug --follow-symlinks --line-length= --help --version",
  operands: (parsed) => {
    if (parsed.has("-e", "--expression")) return inPlace(parsed);
    // BSD sed takes the suffix of the backup as a word of its own.
    const isBsd = parsed.has("-i") && parsed.operands[0]?.text === "";
    return `${isBsd ? "text " : ""}sed ${inPlace(parsed)}`;
  },
};

/** BSD sed reads no options after the script: there, an `-e` behind it is a file, and the first operand is the script. */
export const sed: ProgramSpec = {
  read(words, record) {
    const table = optionTable(sedSpec.options ?? "", false);
    const names = ["-e", "--expression"];
    if (
      readOptions(words, table, "gnu").has(...names) &&
      !readOptions(words, table, "posix").has(...names)
    )
      return record.fail("which of its words is the sed script depends on the system");
    readCommand(sedSpec, words, record);
  },
};

/** Options end at the program, or at the first operand after `-f`. */
export const awk: ProgramSpec = {
  options:
    "-F= -v= -f=code -bckMnOPrsStV --field-separator= --assign= --file=code --characters-as-bytes --traditional --csv " +
    "--bignum --non-decimal-data --optimize --posix --re-interval --no-optimize --sandbox --lint=? --version --help",
  operands: (parsed) => {
    if (parsed.has("-f", "--file")) return "read*";
    // Some awks do not know `--help` and run the program all the same.
    const isAbout = parsed.has("--version", "--help", "-V") && parsed.operands.length === 0;
    return isAbout ? "" : "awk read*";
  },
  style: "posix",
};

/** Options that take a name and a value; what the value is. */
const pairs: ReadonlyMap<string, "text" | "read"> = new Map([
  ["--arg", "text"],
  ["--argjson", "text"],
  ["--slurpfile", "read"],
  ["--rawfile", "read"],
]);

// `-f` and `-L` load filters; which word is the file differs between versions.
const jqSpec: ProgramSpec = {
  options:
    "-nrjascCMSeRhV --null-input --raw-output --raw-output0 --join-output --ascii-output --slurp --compact-output " +
    "--color-output --monochrome-output --sort-keys --exit-status --raw-input --tab --indent= --stream --stream-errors --seq " +
    "--unbuffered --binary -b --args --jsonargs --help --version --build-configuration",
  operands: (parsed) => {
    if (parsed.has("--help", "-h", "--version", "-V", "--build-configuration")) return "text*";
    // Values after `--args` count as files, which does no harm.
    return "jq read*";
  },
};

export const jq: ProgramSpec = {
  read(words, record) {
    const others: Word[] = [];
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at] ?? fixedWord("");
      const isOption = word.known === "fixed";
      // Behind `--` and as the value of an option, `--arg` is a word like any other.
      if (isOption && word.text === "--") {
        others.push(...words.slice(at));
        break;
      }
      const kind = isOption ? pairs.get(word.text) : undefined;
      if (kind === undefined) {
        const isValued = isOption && word.text === "--indent";
        others.push(...words.slice(at, isValued ? at + 2 : at + 1));
        if (isValued) at += 1;
        continue;
      }
      const [name, value] = [words[at + 1], words[at + 2]];
      if (!name || !value || name.known !== "fixed" || value.known !== "fixed")
        return record.fail(`the values of ${word.text} are not known before it runs`);
      if (kind === "read") record.path(value, "read");
      at += 2;
    }
    readCommand(jqSpec, others, record);
  },
};

// `-s` splits into files, and `load` and `env` are no functions of the filters that are known.
const yqOptions =
  "-rPCMNnej -o= -p= -I= -i!write --inplace!write --output-format= --input-format= --indent= --colors --no-colors --no-doc " +
  "--null-input --exit-status --prettyPrint --unwrapScalar=? --tojson --raw-output -h --help -V --version";

const isDocument = ([first, ...others]: readonly Word[]): boolean =>
  others.length === 0 &&
  /^[\w/-][\w./-]*\.(?:ya?ml|json|toml|xml|csv|tsv)$/.test(first?.text ?? "");

/** The filter may be left out: the first operand counts as a file too. */
const yqEval: ProgramSpec = {
  options: yqOptions,
  operands: (parsed) => (isDocument(parsed.operands) ? inPlace(parsed) : `jq ${inPlace(parsed)}`),
  check: (parsed, record) => {
    const [first] = parsed.operands;
    if (first) record.path(first, parsed.has("-i", "--inplace") ? "write" : "read");
  },
};

export const yq: ProgramSpec = {
  read(words, record) {
    const [first, ...rest] = words;
    const isVerb = first?.known === "fixed" && /^(?:e|eval|ea|eval-all)$/.test(first.text);
    if (isVerb) record.verbs.push(first.text);
    readCommand(yqEval, isVerb ? rest : words, record);
  },
};
