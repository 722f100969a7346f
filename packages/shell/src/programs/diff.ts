import type { SearchScope } from "../line-facts.ts";
import type { ProgramTable, ParsedArguments } from "../arguments/program-spec.ts";
import { everything } from "./search-scope.ts";

const whitespace =
  "-i -E -Z -b -w -B -I= --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change " +
  "--ignore-all-space --ignore-blank-lines --ignore-matching-lines= --strip-trailing-cr";

/** diff compares the contents of two folders, and follows links. */
const compared = (parsed: ParsedArguments): SearchScope => ({
  ...everything,
  links: !parsed.has("--no-dereference"),
  excludes: parsed.values("-x", "--exclude"),
});

export const diff: ProgramTable = {
  // `-l` runs pr.
  diff: {
    options:
      `${whitespace} -acdeHnNpPqrstTuy -# -C= -D= -F= -S= -U= -W= -x= -X=read -L= --normal --brief --report-identical-files ` +
      "--context=? --unified=? --ed --rcs --side-by-side --width= --left-column --suppress-common-lines --show-c-function " +
      "--show-function-line= --label= --expand-tabs --initial-tab --tabsize= --suppress-blank-empty --recursive " +
      "--no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --exclude= " +
      "--exclude-from=read --starting-file= --from-file=search --to-file=search --text --minimal --horizon-lines= " +
      "--speed-large-files --color=? --palette= --ifdef= --line-format= --old-line-format= --new-line-format= " +
      "--unchanged-line-format= --old-group-format= --new-group-format= --unchanged-group-format= --changed-group-format= " +
      "--help --version",
    operands: (parsed) => (parsed.has("--from-file", "--to-file") ? "search*" : "search search"),
    search: compared,
  },
  sdiff: {
    options:
      `${whitespace} -adlstH -o=write -w= -W --output=write --text --width= --left-column --suppress-common-lines ` +
      "--expand-tabs --tabsize= --minimal --speed-large-files --diff-program=execute --help --version",
    operands: "search search",
    search: compared,
  },
  diff3: {
    options:
      "-aAeEimTxX3 -L= --text --show-all --ed --show-overlap --overlap-only --merge --initial-tab --easy-only --label= " +
      "--strip-trailing-cr --diff-program=execute --help --version",
    operands: "read read read",
  },
};
