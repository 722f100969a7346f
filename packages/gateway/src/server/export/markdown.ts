import type { Entry } from "./entries.ts";
import type { ChecklistEntry, Fact, Part } from "./parts.ts";
import { longestRun, safePieces } from "./safe-text.ts";

/** The header of an export. */
export interface ExportHeader {
  readonly title: string;
  readonly facts: readonly Fact[];
}

export async function* markdownOf(
  cover: ExportHeader,
  entries: AsyncIterable<Entry>,
): AsyncGenerator<string> {
  yield `# ${plain(cover.title)}\n\n`;
  for (const [name, value] of cover.facts) yield `- ${name}: ${plain(value)}\n`;
  for await (const { heading, level, note, at, parts } of entries) {
    yield `\n${"#".repeat(level)} ${plain(heading)}\n`;
    const words = noteOf(plain(note), at);
    if (words !== "") yield `\n_${words}_\n`;
    for (const part of parts) yield `\n${partOf(part)}\n`;
  }
}

export function noteOf(note: string, at: number | null): string {
  return [note, at === null ? "" : timeOf(at)].filter((words) => words !== "").join(" · ");
}

export function timeOf(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime())
    ? ""
    : `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function partOf(part: Part): string {
  switch (part.type) {
    case "prose":
      return proseOf(part.text);
    case "code":
      return [...(part.label ? [`${plain(part.label)}:\n`] : []), fenced(part)].join("\n");
    case "facts":
      return part.facts.map(([name, value]) => `${plain(name)}: ${inlineCode(value)}`).join(", ");
    case "checklist":
      return part.entries.map(checkOf).join("\n");
    case "remark":
      return `_${plain(part.text)}_`;
    default:
      return `_An image (${plain(part.mimeType)}) is omitted here. The HTML export has it._`;
  }
}

/** The text unchanged, or quoted where its markup could extend to the text after it. */
function proseOf(text: string): string {
  const trimmed = text.replaceAll(/^(?:[^\S\n]*\n)+/g, "").trimEnd();
  return safePieces(trimmed) === null ? `> ${trimmed.replaceAll(/\r\n?|\n/g, "$&> ")}` : trimmed;
}

/** The fence is longer than any in the text, so that nothing in the text ends it. */
function fenced({ text, language }: Extract<Part, { type: "code" }>): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  const name = /^[\w+-]*$/.test(language) ? language : "";
  return `${fence}${name}\n${text.replace(/\n$/, "")}\n${fence}`;
}

function inlineCode(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  const fence = "`".repeat(longestRun(line) + 1);
  return fence.length === 1 ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}

function checkOf({ text, status }: ChecklistEntry): string {
  const words = status === "in_progress" ? `${plain(text)} (in progress)` : plain(text);
  return `- [${status === "completed" ? "x" : " "}] ${words}`;
}

/** One line in which nothing is interpreted as Markdown or HTML. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_{}[\]<>#|~!]/g, String.raw`\$&`);
}
