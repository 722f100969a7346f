/**
 * Renders a program's output as lines with colours: carriage returns and backspaces overwrite, erase sequences
 * erase, and other controls are dropped. Linear in the text; a line keeps its last `LINE_LENGTH` characters.
 */
export function settledText(text: string): string {
  const out: string[] = [];
  let style = "";
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    if (!needsCells.test(line)) {
      out.push(line);
      style = styleAfter(style, line);
      continue;
    }
    const settled = settledLine(line, style);
    out.push(settled.text);
    style = settled.style;
  }
  return out.join("\n");
}

/** The last lines of a text, searched from its end: the cost does not depend on its length. */
export function lastLines(text: string, count: number): { text: string; isCut: boolean } {
  const floor = Math.max(0, text.length - count * LINE_LENGTH);
  let from = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let left = count; left > 0; left -= 1) {
    const newline = from === 0 ? -1 : text.lastIndexOf("\n", from - 1);
    if (newline < floor) return { text: text.slice(floor), isCut: floor > 0 };
    from = newline;
  }
  return { text: text.slice(from + 1), isCut: true };
}

export function lineCount(text: string): number {
  if (text === "") return 0;
  let count = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

const LINE_LENGTH = 4_000;

const ESCAPE = "\u001b";
const BELL = "\u0007";
const needsCells = new RegExp(`[\r\b${BELL}]|${ESCAPE}(?!\\[[\\d;:]*m)`, "u");
// Terminal controls: CSI (`[`), OSC (`]`), and two-character ones.
const control = new RegExp(
  `${ESCAPE}(?:\\[([\\d;:?<=>]*)[ -/]*([@-~])|\\][^${BELL}${ESCAPE}]{0,2000}(?:${BELL}|${ESCAPE}\\\\)?|[ -/]*[0-~])`,
  "uy",
);
const colour = new RegExp(`${ESCAPE}\\[([\\d;:]*)m`, "gu");

interface Cell {
  readonly text: string;
  readonly style: string;
}

interface Pen {
  readonly cells: Cell[];
  at: number;
  style: string;
}

function settledLine(line: string, style: string): { text: string; style: string } {
  const pen: Pen = { cells: [], at: 0, style };
  const start = Math.max(0, line.length - LINE_LENGTH * 8);
  for (let at = start; at < line.length;) at = step(pen, line, at);
  return { text: written(pen, style), style: pen.style };
}

/** Processes one character or control and returns the next index. */
function step(pen: Pen, line: string, at: number): number {
  const character = String.fromCodePoint(line.codePointAt(at) ?? 0);
  if (character === ESCAPE) {
    control.lastIndex = at;
    const match = control.exec(line);
    if (match === null) return at + 1;
    obey(pen, match[1] ?? "", match[2] ?? "");
    return at + match[0].length;
  }
  if (character === "\r") pen.at = 0;
  else if (character === "\b") pen.at = Math.max(0, pen.at - 1);
  else if (character >= " " || character === "\t") put(pen, character);
  return at + character.length;
}

function put(pen: Pen, text: string): void {
  if (pen.at >= LINE_LENGTH) return;
  while (pen.cells.length < pen.at) pen.cells.push({ text: " ", style: "" });
  pen.cells[pen.at] = { text, style: pen.style };
  pen.at += 1;
}

function obey(pen: Pen, parameters: string, letter: string): void {
  const amount = Math.min(LINE_LENGTH, Number.parseInt(parameters, 10) || 0);
  switch (letter) {
    case "m":
      pen.style = nextStyle(pen.style, parameters);
      break;
    case "K":
      if (amount === 0) pen.cells.length = Math.min(pen.cells.length, pen.at);
      else if (amount === 2) pen.cells.length = 0;
      break;
    case "G":
      pen.at = Math.max(0, amount - 1);
      break;
    case "C":
      pen.at = Math.min(LINE_LENGTH, pen.at + Math.max(1, amount));
      break;
    case "D":
      pen.at = Math.max(0, pen.at - Math.max(1, amount));
      break;
    default:
  }
}

function written(pen: Pen, before: string): string {
  let style = before;
  let text = "";
  const change = (to: string) => {
    if (to !== style) text += `${ESCAPE}[0m${to}`;
    style = to;
  };
  for (const cell of pen.cells) {
    change(cell.style);
    text += cell.text;
  }
  change(pen.style);
  return text;
}

function styleAfter(style: string, line: string): string {
  let next = style;
  for (const match of line.matchAll(colour)) next = nextStyle(next, match[1] ?? "");
  return next;
}

/** The active style controls since the last reset; an excess counts as a reset. */
function nextStyle(style: string, parameters: string): string {
  const next = `${ESCAPE}[${parameters}m`;
  if (/^0*(?:;|$)/u.test(parameters)) return /^[0;]*$/u.test(parameters) ? "" : next;
  return style.length > 200 || style.endsWith(next) ? next : style + next;
}
