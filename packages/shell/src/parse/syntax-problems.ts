import type { Node } from "web-tree-sitter";
import { hidesExpansion } from "./node-checks.ts";
import { withoutInner } from "./word.ts";

export interface SyntaxProblem {
  readonly problem: string;
  /** Whether the rest of the line cannot be parsed reliably either. */
  readonly isFatal: boolean;
}

interface Check extends SyntaxProblem {
  readonly applies: (node: Node, source: string) => boolean;
}

/** Where shells disagree with each other or with the grammar, or where code in a value may run, by node type. */
const checks: Readonly<Record<string, readonly Check[]>> = {
  command_substitution: [
    {
      // Inside backquotes, the shell removes backslashes before it parses the command; the grammar does not.
      applies: ({ text }) => text.startsWith("`") && text.includes("\\"),
      problem: "it has a backslash inside backquotes",
      isFatal: true,
    },
  ],
  ansi_c_string: [
    {
      // A POSIX shell does not support this syntax: for it, the string ends at the first quote inside.
      applies: ({ text }) => text.slice(2, -1).includes("'"),
      problem: "where its quotes end depends on the shell",
      isFatal: true,
    },
  ],
  arithmetic_expansion: [
    {
      // A name in it is evaluated recursively, including code in its value.
      applies: ({ text }) => !/^\$\(\([\d\s+*/%()<>=!&|^~?:-]*\)\)$/.test(text),
      problem: "it does arithmetic with values that are not known",
      isFatal: false,
    },
  ],
  simple_expansion: [
    {
      // The grammar parses `$ $` as one expansion, and what follows it as text.
      applies: ({ text }) => !/^\s*\$(?:\w+|[*@?!#$-])$/.test(text),
      problem: "where a variable in it ends is ambiguous",
      isFatal: true,
    },
    {
      // In zsh, an index or `:h` after a name is part of the expansion, and code in an index runs.
      applies: ({ endIndex }, source) =>
        /^(?:\[|:[A-Za-z&])/.test(source.slice(endIndex, endIndex + 2)),
      problem: "zsh expands a variable differently from bash",
      isFatal: false,
    },
  ],
  string: [
    {
      applies: hidesExpansion,
      problem: "it has a quoted string that may run code",
      isFatal: true,
    },
    {
      // zsh expands `$=name`, `$~name`, `$^name`, `$+name` and `$#name`.
      applies: (node) => /(?<!\\)(?:\\\\)*\$[=~^+#]+[\w[]/.test(withoutInner(node)),
      problem: "zsh expands a variable differently from bash",
      isFatal: false,
    },
  ],
  expansion: [
    {
      // Removing a plain prefix or suffix is harmless. Any other form may evaluate code in the value.
      applies: ({ text }) =>
        !/^\s*\$\{(?:[A-Za-z_]\w*(?:(?:%%?|##?)[\w.*?/-]+)?|\w+)\}$/.test(text),
      problem: "it expands a variable in a way that may run code",
      isFatal: false,
    },
  ],
  array: [
    {
      // An index is evaluated, including code in the value of a variable that it names.
      applies: ({ text }) => text.includes("["),
      problem: "it assigns to an element of a variable",
      isFatal: false,
    },
  ],
  file_descriptor: [
    {
      // In `sort -oout1>&2` and `sort -oout<<E`, the grammar parses the option as the file descriptor. In a POSIX
      // shell, a number of two digits is a word.
      applies: ({ text }) => !/^\d$/.test(text),
      problem: "where its words end is ambiguous",
      isFatal: false,
    },
  ],
  comment: [
    {
      // After the bracket of an array, or in a continued line, `#` is part of the word.
      applies: ({ startIndex }, source) =>
        !/(?:^|(?<!\\)[ \t\n;&|(])$/.test(source.slice(0, startIndex)),
      problem: "a comment in it is ambiguous",
      isFatal: true,
    },
  ],
};

export function hasSyntaxCheck({ type }: Node): boolean {
  return Object.hasOwn(checks, type);
}

export function syntaxProblems(node: Node, source: string): readonly SyntaxProblem[] {
  return (checks[node.type] ?? []).filter(({ applies }) => applies(node, source));
}
