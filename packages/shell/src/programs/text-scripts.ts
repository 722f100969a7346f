import { optionTable, readOptions } from "../arguments/options.ts";
import { readCommand } from "../arguments/read-command.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";

const inPlace = (parsed: ParsedArguments): string =>
  parsed.has("-i", "--in-place", "--inplace") ? "write*" : "read*";

// `-l` and `-I` differ between GNU and BSD sed; `-f` reads a script that is not analysed.
const sedSpec: ProgramSpec = {
  options:
    "-nErsuz -i=?!write -e=sed --in-place=?!write --expression=sed --quiet --silent --regexp-extended --separate " +
    "--unbuffered --null-data --zero-terminated --posix --sandbox --debug --follow-symlinks --line-length= --help --version",
  operands: (parsed) => {
    if (parsed.has("-e", "--expression")) return inPlace(parsed);
    // In BSD sed, the backup suffix is a separate word.
    const isBsd = parsed.has("-i") && parsed.operands[0]?.text === "";
    return `${isBsd ? "text " : ""}sed ${inPlace(parsed)}`;
  },
};

/** BSD sed accepts no options after the script: a later `-e` is a file, and the first operand is the script. */
export const sed: ProgramSpec = {
  read(words, record) {
    const table = optionTable(sedSpec.options ?? "", false);
    const names = ["-e", "--expression"];
    if (
      readOptions(words, table, "gnu").has(...names) &&
      !readOptions(words, table, "posix").has(...names)
    )
      return record.fail("which word is the sed script depends on the system");
    readCommand(sedSpec, words, record);
  },
};

/** Options end at the awk program, or at the first operand after `-f`. */
export const awk: ProgramSpec = {
  options:
    "-F= -v= -f=code -bckMnOPrsStV --field-separator= --assign= --file=code --characters-as-bytes --traditional --csv " +
    "--bignum --non-decimal-data --optimize --posix --re-interval --no-optimize --sandbox --lint=? --version --help",
  operands: (parsed) => {
    if (parsed.has("-f", "--file")) return "read*";
    // Some versions ignore `--help` and run the program.
    const isAbout = parsed.has("--version", "--help", "-V") && parsed.operands.length === 0;
    return isAbout ? "" : "awk read*";
  },
  style: "posix",
};

/** The kind of the value of options that take a name and a value. */
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
    // Values after `--args` are recorded as files, which is harmless.
    return "jq read*";
  },
};

export const jq: ProgramSpec = {
  read(words, record) {
    const others: Word[] = [];
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at] ?? fixedWord("");
      const isOption = word.known === "fixed";
      // After `--` and as the value of an option, `--arg` is an ordinary word.
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

// `-s` splits into files and is not listed. `load` and `env` are not known functions.
const yqOptions =
  "-rPCMNnej -o= -p= -I= -i!write --inplace!write --output-format= --input-format= --indent= --colors --no-colors --no-doc " +
  "--null-input --exit-status --prettyPrint --unwrapScalar=? --tojson --raw-output -h --help -V --version";

const isDocument = ([first, ...others]: readonly Word[]): boolean =>
  others.length === 0 &&
  /^[\w/-][\w./-]*\.(?:ya?ml|json|toml|xml|csv|tsv)$/.test(first?.text ?? "");

/** The filter is optional, so the first operand is also recorded as a file. */
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
