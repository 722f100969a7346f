import type { Entry, Part } from "./entries.ts";

/** What stands at the top of an export. */
export interface Cover {
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
}

export function* markdownOf(cover: Cover, entries: Iterable<Entry>): Generator<string> {
  yield `# ${plain(cover.title)}\n\n`;
  for (const [name, value] of cover.facts) yield `- ${name}: ${plain(value)}\n`;
  for (const { heading, note, at, parts } of entries) {
    yield `\n## ${plain(heading)}\n\n`;
    yield `_${[plain(note), timeOf(at)].filter((words) => words !== "").join(" · ")}_\n`;
    for (const part of parts) yield `\n${partOf(part)}\n`;
  }
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
      return part.text;
    case "code":
      return fenced(part.text, part.language);
    default:
      return `[image, ${plain(part.mimeType)}]`;
  }
}

/** A fence longer than any inside, so that nothing in the text ends it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** One line in which nothing is read as Markdown or HTML. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_{}[\]<>#|~!]/g, String.raw`\$&`);
}
