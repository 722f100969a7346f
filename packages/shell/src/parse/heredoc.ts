import type { Node } from "web-tree-sitter";

export interface Heredoc {
  readonly problem: string | null;
  /** Scripts in backquotes of its body, which the grammar does not parse. */
  readonly scripts: readonly string[];
}

const notAnalysed = "it has a here-document that is not analysed";

/** Checks the end of a here-document, because the rest of the line depends on it. */
export function readHeredoc(node: Node, source: string): Heredoc {
  const start = node.children.find((child) => child.type === "heredoc_start");
  const end = node.children.find((child) => child.type === "heredoc_end");
  const early = start ? problemOfDelimiter(node, start, source) : null;
  const isTabbed = node.children.some((child) => child.type === "<<-");
  const mark = /^(['"]?)([A-Za-z_]\w*)\1$/.exec(start?.text ?? "");
  const from = start ? source.indexOf("\n", start.endIndex) : -1;
  if (!start || !end || !mark || from === -1 || source.split("<<").length > 2)
    return { problem: early ?? notAnalysed, scripts: [] };
  const [, quote, name = ""] = mark;
  const finish = endOfBody(source, from, name, isTabbed);
  const body = finish === -1 ? "" : source.slice(from, finish);
  const mayRunCode = finish !== end.endIndex || (quote === "" && /[$`\\]/.test(body));
  return {
    problem: early ?? (mayRunCode ? "it has a here-document that may run code" : null),
    scripts: quote === "" ? body.split("`").filter((_, index) => index % 2 === 1) : [],
  };
}

function problemOfDelimiter(node: Node, start: Node, source: string): string | null {
  // Adjacent text would be part of the delimiter.
  if (!/^(?:[ \t\n;&|<>]|\\\n[ \t])/.test(source.slice(start.endIndex)))
    return "where its words end is ambiguous";
  // The body begins after the line. For the grammar, a backslash there continues the line.
  const [rest = ""] = source.slice(start.endIndex).split(/(?<!\\)\n/, 1);
  const lineEnd = start.endIndex + rest.length;
  const isLater = ({ type, endIndex }: Node) => !/body|end/.test(type) && endIndex > lineEnd;
  return node.children.some(isLater) ? notAnalysed : null;
}

/** The end of the line with the delimiter of a here-document; -1 if there is none. */
function endOfBody(source: string, from: number, name: string, isTabbed: boolean): number {
  let start = from + 1;
  while (start <= source.length) {
    const newline = source.indexOf("\n", start);
    const end = newline === -1 ? source.length : newline;
    const line = source.slice(start, end);
    if ((isTabbed ? line.replace(/^\t+/u, "") : line) === name) return end;
    start = end + 1;
  }
  return -1;
}
