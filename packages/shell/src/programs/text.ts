import { readCommand } from "../arguments/read-command.ts";
import type { ProgramSpec, ProgramTable } from "../arguments/program-spec.ts";
import { fixedWord } from "../parse/word.ts";
import { diff } from "./diff.ts";
import { withoutArgumentFiles } from "./spec-builders.ts";
import { awk, jq, sed, yq } from "./text-scripts.ts";

const about = "--help --version";

/** Prints the content of files or of its input. */
const reads = (options: string, operands = "read*"): ProgramSpec => ({
  options: `${options} ${about}`,
  operands,
});

// `-o` writes, `--compress-program` runs, and `--files0-from` reads names of more files.
const sort = reads(
  "-bdfghiMnRrVcCmsuz -k= -t= -S= -o=write -T=write --ignore-leading-blanks --dictionary-order --ignore-case " +
    "--general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse " +
    "--version-sort --sort= --check=? --merge --stable --unique --zero-terminated --key= --field-separator= --buffer-size= " +
    "--output=write --temporary-directory=write --parallel= --batch-size= --random-source=read --compress-program=execute --debug",
);

/** The second operand is the output. */
const uniq = reads(
  "-cdDiuz -# -f= -s= -w= --count --repeated --all-repeated=? --group=? --skip-fields= --ignore-case --skip-chars= " +
    "--unique --zero-terminated --check-chars=",
  "read write",
);

// xxd has no bundles: `-ps` is one option. The second operand is always the output.
const xxdSpec: ProgramSpec = {
  options:
    "-a -autoskip -b -bits -C -capitalize -c= -cols= -d -E -EBCDIC -e -g= -groupsize= -groups= -h -help -i -include -l= " +
    "-len= -n= -name= -o= -p -ps -plain -postscript -r -revert -s= -seek= -skip= -u -upper -v -version -R=",
  operands: "read write",
  style: "dash-posix",
};

/** A number may be attached: `-l64`. */
const xxd: ProgramSpec = {
  ...xxdSpec,
  read: (words, record) =>
    readCommand(
      xxdSpec,
      words.flatMap((word) => {
        const [, name = "", value = ""] = /^(-[cglos])((?:0x)?[\da-f]+)$/.exec(word.text) ?? [];
        return name === "" || word.known !== "fixed" ? [word] : [name, value].map(fixedWord);
      }),
      record,
    ),
};

const shuf = {
  ...reads(
    "-erz -i= -n= -o=write --echo --repeat --zero-terminated --input-range= --head-count= --output=write --random-source=read",
  ),
  operands: (parsed) => (parsed.has("-e", "--echo") ? "text*" : "read"),
} satisfies ProgramSpec;

/** A pager can run commands, and filters that the environment names. */
const pager: ProgramSpec = {
  effects: "execute",
  options: "-aAbBcCdeEfFgGiIKLmMnNQqrRsSuUVwWXz? -# --help --version",
  operands: "read*",
};

// A diff from the input may contain commands for ed.
const patch: ProgramSpec = {
  options:
    "-bcEflNnRstTuvZ -# -B= -d=enter -D= -F= -g= -i=read -o=write -p= -r=write -V= -Y= -z= --backup --context --directory=enter " +
    "--dry-run --force --batch --forward --fuzz= --input=read --ignore-whitespace --normal --unified --output=write " +
    "--strip= --remove-empty-files --reverse --reject-file=write --quiet --silent --verbose --binary --merge=? --posix " +
    "--no-backup-if-mismatch --backup-if-mismatch --suffix= --prefix= --version --help",
  operands: "write read",
  effects: "write execute",
};

/** xmllint reads files and addresses that a document names with other options, `--c14n` among them. */
const xmllint: ProgramSpec = {
  options:
    "--noout --format --nonet --recover --html --nowarning --huge --noblanks --nocdata --timing --repeat " +
    "--debug --version --xpath= --pretty= --encode= --output=write -o=write -noout -format",
  operands: "read*",
  style: "dash",
  check: ({ operands }, record) => {
    for (const word of operands) if (/^\w+:\/\//.test(word.text)) record.host(word);
  },
};

const tidy: ProgramSpec = {
  options:
    "-q -quiet -e -errors -i -indent -xml -asxml -asxhtml -ashtml -utf8 -ascii -raw -u -upper -c -clean -b -bare -n -numeric " +
    "-w= -wrap= -version -v -help -h -m!write -modify!write -o=write -output=write -f=write -file=write -config=load",
  operands: (parsed) => (parsed.has("-m", "-modify") ? "write*" : "read*"),
  style: "dash",
};

const bat: ProgramSpec = {
  options:
    "-ApPnSsuLdV -l= -H= -r= -m= --show-all --plain --language= --highlight-line= --file-name= --diff --diff-context= --tabs= " +
    "--wrap= --chop-long-lines --terminal-width= --number --color= --italic-text= --decorations= --force-colorization " +
    "--paging= --pager=execute --map-syntax= --theme= --theme-light= --theme-dark= --list-themes --style= --line-range= " +
    "--list-languages --unbuffered --squeeze-blank --squeeze-limit= --nonprintable-notation= --binary= --strip-ansi= " +
    "--no-config --no-custom-assets --help --version",
  operands: "read*",
  check: ({ operands: [first] }, record) => {
    if (first?.text === "cache") record.fail("bat cache changes its cache");
  },
};

const glow: ProgramSpec = {
  options:
    "-naltl -s= -w= -p!execute --pager!execute --style= --width= --all --local --line-numbers --help --version",
  operands: "read",
  check: ({ operands: [source] }, record) => {
    if (!source) record.fail("glow opens a full-screen view");
    else if (/:\/\/|^(?:github|gitlab)\.com|@/.test(source.text)) record.host(source);
  },
};

const strings: ProgramSpec = withoutArgumentFiles(
  reads(
    "-adfow -# -n= -t= -e= -T= -s= -U= --all --data --print-file-name --bytes= --radix= --encoding= --target= " +
      "--include-all-whitespace --output-separator= --unicode=",
  ),
);

export const text: ProgramTable = {
  cat: reads(
    "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
  ),
  tac: reads("-br -s= --before --regex --separator="),
  head: reads("-qvz -# -c= -n= --bytes= --lines= --quiet --silent --verbose --zero-terminated"),
  tail: reads(
    "-fFqrvz -# -b= -c= -n= -s= --bytes= --follow=? --lines= --max-unchanged-stats= --pid= --quiet --silent --retry " +
      "--sleep-interval= --verbose --zero-terminated",
  ),
  "less|more|most|pg|zless|zmore|bzless|xzless": pager,
  nl: reads(
    "-p -b= -d= -f= -h= -i= -l= -n= -s= -v= -w= --body-numbering= --section-delimiter= --footer-numbering= " +
      "--header-numbering= --line-increment= --join-blank-lines= --number-format= --no-renumber --number-separator= " +
      "--starting-line-number= --number-width=",
  ),
  wc: reads("-clLmw --bytes --chars --lines --max-line-length --words --total="),
  sort,
  uniq,
  cut: reads(
    "-nswz -b= -c= -d= -f= --bytes= --characters= --delimiter= --fields= --complement --only-delimited " +
      "--output-delimiter= --zero-terminated",
  ),
  paste: reads("-sz -d= --delimiters= --serial --zero-terminated"),
  join: reads(
    "-iz -a= -e= -j= -o= -t= -v= -1= -2= --ignore-case --check-order --nocheck-order --header --zero-terminated",
    "read read",
  ),
  tr: reads("-cCdstu --complement --delete --squeeze-repeats --truncate-set1", "text*"),
  fold: reads("-bcs -w= -# --bytes --spaces --width= --characters"),
  fmt: reads(
    "-cmnstu -# -d= -g= -l= -p= -w= --crown-margin --prefix= --split-only --tagged-paragraph --uniform-spacing --width= --goal=",
  ),
  // `-n` takes a value in newer versions; in older ones the next word is a file.
  column: reads(
    "-deJLtxm -c= -n=read -s= -o= -p= -i= -r= -E= -H= -N= -O= -R= -T= -W= -C= -l= -S= --columns= --table --table-columns= " +
      "--table-right= --table-truncate= --table-wrap= --table-hide= --table-order= --table-noheadings --table-empty-lines " +
      "--table-noextreme= --table-maxout --table-name= --table-columns-limit= --separator= --output-separator= " +
      "--output-width= --json --fillrows --keep-empty-lines --tree= --tree-id= --tree-parent=",
  ),
  expand: reads("-i -# -t= --initial --tabs="),
  unexpand: reads("-af -# -t= --all --first-only --tabs="),
  pr: reads(
    "-acdfFJmrtTvbp -# -D= -e=? -h= -i=? -l= -n=? -N= -o= -s=? -S=? -w= -W= --columns= --across --double-space --header= " +
      "--length= --merge --number-lines=? --first-line-number= --indent= --omit-header --omit-pagination --width= --page-width=",
  ),
  rev: reads("-0 --zero"),
  comm: reads(
    "-123iz --check-order --nocheck-order --output-delimiter= --total --zero-terminated",
    "read read",
  ),
  cmp: reads(
    "-blshxz -i= -n= --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent",
    "read read text text",
  ),
  ...diff,
  patch,
  strings,
  od: reads(
    "-abBcdDeFfhHiIlLoOsvxX -A= -j= -N= -S=? -t= -w=? --address-radix= --endian= --skip-bytes= --read-bytes= --strings=? " +
      "--format= --output-duplicates --width=? --traditional",
  ),
  xxd,
  "hexdump|hd": reads(
    "-bcCdoxXv -e= -f=read -L=? -n= -s= --one-byte-octal --one-byte-char --canonical --two-bytes-decimal --two-bytes-octal " +
      "--two-bytes-hex --format= --format-file=read --length= --skip= --no-squeezing --color=?",
  ),
  iconv: {
    ...reads(
      "-cls -f= -t= -o=write --from-code= --to-code= --list --output=write --silent --verbose",
    ),
    check: (parsed, record) => {
      // A name with a slash is a file that describes characters; two slashes end a name.
      for (const name of parsed.values("-f", "--from-code", "-t", "--to-code"))
        if (!/^[^/]*(?:\/\/[A-Z]*)*$/i.test(name)) record.impliedPath(name, "read");
    },
  },
  seq: reads("-w -# -f= -s= -t= --format= --separator= --equal-width", "text*"),
  yes: reads("", "text*"),
  shuf,
  tsort: reads("", "read"),
  numfmt: reads(
    "-z -# -d= --debug --delimiter= --field= --format= --from= --from-unit= --grouping --header=? --invalid= --padding= " +
      "--round= --suffix= --to= --to-unit= --zero-terminated",
    "text*",
  ),
  sed,
  "awk|gawk|mawk|nawk": awk,
  jq,
  yq,
  xmllint,
  tidy,
  "bat|batcat": bat,
  glow,
  bc: reads(
    "-ilqswv -e= -f=read --interactive --mathlib --quiet --standard --warn --expression= --file=read",
  ),
  // Unknown input may contain commands.
  dc: { effects: "execute", options: "-e= -f=read --expression= --file=read", operands: "read*" },
  expr: { options: "-# --help --version", operands: "text*", printsArguments: true },
};
