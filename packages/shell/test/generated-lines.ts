import { fc } from "@fast-check/vitest";
import { optionTable } from "../src/arguments/options.ts";
import type { ProgramSpec } from "../src/arguments/program-spec.ts";
import { specOf } from "../src/programs/registry.ts";

/** Files of `hostileProject()`, including those that need permission. */
const files = [
  "README.md",
  "package.json",
  "src",
  "src/a.ts",
  "src/deep/c.ts",
  "src/*.ts",
  "docs",
  "docs/guide.md",
  "config/app.json",
  ".",
  "*",
  "no-such-file",
  "config",
  "sub",
  ".env",
  "linked-env",
  "link-file",
  "link-out",
  "attacks/fsmonitor",
  "odd",
  "odd/bytes",
  "ignore/escaped",
  "ignore/exclude",
  "ignore/space",
];
/** Unquoted patterns for files: sets, classes, quoted pieces, and characters of several bytes. */
const globs = [
  ".[[:alpha:]]nv",
  ".e[n']']v",
  ".[!x]nv",
  ".E*",
  "link-[[:alpha:]]ut",
  "link-[[:alpha:]]ut/*",
  "lin[k]-fil?",
  "*/[[:alpha:]]*",
  "odd/?",
  "odd/??",
  "odd/*",
  "odd/bytes/*",
  "odd/a*b",
  "'src .env '*",
];
/** Patterns that a program expands. */
const patterns = [
  String.raw`\.env`,
  String.raw`.e\nv`,
  ".[[:alpha:]]nv",
  "[[:punct:]]env",
  ".e[]n]v",
  "{.env,x}",
  "{a,b[}],.env}",
  "!{,x}.env",
  ".env ",
  "#x",
  "id_*",
  "*.[ch]",
  "*.key",
  "..key",
  "rec",
];
/** Values and operands that mean something to many programs. */
const values = [
  "1",
  "2",
  "3",
  "a",
  "n",
  "name",
  "short",
  "never",
  "always",
  "auto",
  "none",
  "utf-8",
  ",",
  "%s",
  "*.ts",
  "export",
  "HEAD",
  "main",
];
const words = [
  ...values,
  "HEAD~1",
  "v1.0.0",
  "HEAD:src/a.ts",
  "1,3p",
  "{print}",
  ".name",
  "+%s",
  "a-z",
];

/** Options that name other programs or files need permission anyway. */
const harmlessKinds = new Set(["text", "name", "read", "search"]);

const quotedWord = (word: string) => (/^[\w./,:=+~*%-]+$/.test(word) ? word : `'${word}'`);

const textValue = fc.constantFrom(...values, ...patterns).map(quotedWord);
const fileValue = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...files).map(quotedWord) },
  { weight: 1, arbitrary: fc.constantFrom(...globs) },
);

/** The options of a program: single, bundled, with a value attached or as the next word. */
function optionWords(spec: ProgramSpec): fc.Arbitrary<string> {
  const isSingleDash = spec.style?.startsWith("dash") ?? false;
  const table = optionTable(spec.options ?? "", isSingleDash);
  const options = [...table].filter(
    ([, { effect, kind }]) => effect === null && harmlessKinds.has(kind),
  );
  const flags = options.filter(([name, { value }]) => /^-[^-#]$/.test(name) && value === "none");
  const one = options.map(([name, option]) => {
    if (name === "-#") return fc.constantFrom("-1", "-5");
    if (option.value === "none") return fc.constant(name);
    const value = option.kind === "text" ? textValue : fileValue;
    const isLong = name.startsWith("--");
    const attached = value.map((text) => (isLong ? `${name}=${text}` : `${name}${text}`));
    if (option.value === "optional") return fc.oneof(fc.constant(name), attached);
    return isSingleDash && !isLong
      ? value.map((text) => `${name} ${text}`)
      : fc.oneof(
          attached,
          value.map((text) => `${name} ${text}`),
        );
  });
  if (one.length === 0) return fc.constant("");
  if (isSingleDash || flags.length < 2) return fc.oneof(...one);
  const letters = fc.constantFrom(...flags.map(([name]) => name.slice(1)));
  const bundle = fc
    .uniqueArray(letters, { minLength: 2, maxLength: 4 })
    .map((bundled) => `-${bundled.join("")}`);
  return fc.oneof(fc.oneof(...one), bundle);
}

/** Options and operands in any order. */
function argumentsOf(spec: ProgramSpec): fc.Arbitrary<string> {
  const operand = fc.oneof(
    { weight: 2, arbitrary: fileValue },
    { weight: 1, arbitrary: fc.constantFrom(...words, ...patterns).map(quotedWord) },
  );
  return fc
    .tuple(
      fc.array(optionWords(spec), { maxLength: 3 }),
      fc.array(operand, { maxLength: 2 }),
      fc.array(optionWords(spec), { maxLength: 1 }),
    )
    .map((parts) => parts.flat().join(" "));
}

function commandOf(name: string, spec: ProgramSpec): fc.Arbitrary<string> {
  if (!spec.subcommands) return argumentsOf(spec).map((rest) => `${name} ${rest}`);
  const inner = Object.entries(spec.subcommands).flatMap(([names, one]) =>
    names.split("|").map((verb) => commandOf(`${name} ${verb}`, one)),
  );
  return fc.oneof(...inner);
}

/** The places of a line where a command is possible. */
const places: readonly ((command: string) => string)[] = [
  (command) => `cd src && ${command}`,
  (command) => `cd src/deep; ${command}; cd ..`,
  (command) => `${command} 2>/dev/null`,
  (command) => `timeout 2 ${command}`,
  (command) => `bash -c '${command.replaceAll("'", "")}'`,
  (command) => `echo "$(${command})"`,
  (command) => `for f in src/*.ts docs/*; do ${command} "$f"; done`,
  (command) => `for f in *; do ${command} $f; done`,
  (command) => `find src docs -type f -exec ${command} {} +`,
  (command) => `find . -name '*.md' -exec ${command} {} \\;`,
  (command) => `find . -type f | xargs ${command}`,
  (command) => `git ls-files | xargs -n 1 ${command}`,
  (command) => `rg -l export | xargs -I{} ${command} {}`,
  (command) => `[ -d src ] && ${command} < README.md`,
  (command) => `if ${command}; then pwd; fi`,
  (command) => `cd link-[[:alpha:]]ut && ${command}`,
  (command) => `cd sRC*; ${command} ../outside/secret.txt`,
  (command) => `${command} < .[[:alpha:]]nv`,
  (command) => `for f in odd/*; do ${command} "$f"; done`,
  (command) => `for f in 'src .env '*; do ${command} $f; done`,
  (command) => `sh -c '${command.replaceAll("'", "")} .*/outside/secret.txt'`,
];

/** Searches for names by a pattern, which the table of options says little about. */
const searches: readonly ((pattern: string, folder: string) => string)[] = [
  (pattern, folder) => `grep -r --include=${pattern} -e . ${folder}`,
  (pattern, folder) => `grep -R --include=${pattern} --exclude=x -e . ${folder}`,
  (pattern, folder) => `grep -d ${pattern} -e . ${folder}`,
  (pattern, folder) => `rg -g ${pattern} -e . ${folder}`,
  (pattern, folder) => `rg --hidden -g ${pattern} -e . ${folder}`,
  (pattern, folder) => `fdfind -t f -e ${pattern} . ${folder} -x cat`,
  (pattern, folder) => `find ${folder} -type f -name ${pattern} -exec cat {} +`,
  (pattern, folder) =>
    `find ${folder} -name notes -prune -o -mindepth 2 -type f -name ${pattern} -exec cat {} +`,
  (pattern, folder) =>
    `find ${folder} -type d -path '*/notes/*' -prune -o -type f -name ${pattern} -exec cat {} +`,
  (pattern, folder) => `git grep -h -e . -- ${folder}/${pattern}`,
  (pattern) => `git log -p -- ${pattern}`,
  (_, folder) => `rg -e . ${folder}`,
  (_, folder) => `ag . ${folder}`,
];

/** Lines of the known options of these programs, alone, in a pipeline or inside another command. */
export function generatedLine(programs: readonly string[]): fc.Arbitrary<string> {
  const commands = programs.flatMap((name) => {
    const spec = specOf(name);
    return spec ? [commandOf(name, spec)] : [];
  });
  const command = fc.oneof(...commands);
  const joined = fc
    .tuple(command, fc.constantFrom(" | ", " && ", "; ", " || "), command)
    .map((parts) => parts.join(""));
  const placed = fc.tuple(fc.constantFrom(...places), command).map(([place, text]) => place(text));
  const searched = fc
    .tuple(
      fc.constantFrom(...searches),
      fc.constantFrom(...patterns).map(quotedWord),
      fc.constantFrom(...files),
    )
    .map(([search, pattern, folder]) => search(pattern, folder));
  return fc.oneof(
    { weight: 3, arbitrary: command },
    { weight: 1, arbitrary: joined },
    { weight: 2, arbitrary: placed },
    { weight: 1, arbitrary: searched },
  );
}
