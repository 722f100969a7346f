import { escaped } from "../escape.ts";
import type { Entry } from "./entries.ts";
import { noteOf, type ExportHeader } from "./markdown.ts";
import type { Part } from "./parts.ts";
import { safePieces } from "./safe-text.ts";

/** Content security policy: only inline styles and embedded images. */
export const exportPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

const metaPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'";

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
h2, h3 { font-size: 1rem; margin: 2rem 0 0 }
.within { margin-left: 1.5rem }
.note { opacity: .7; font-size: .85rem }
.prose { white-space: pre-wrap; overflow-wrap: anywhere }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8886; border-radius: 6px; font-size: .85rem }
img { max-width: 100% }
`;

/** One self-contained page without scripts. All text is escaped. */
export async function* htmlOf(
  cover: ExportHeader,
  entries: AsyncIterable<Entry>,
): AsyncGenerator<string> {
  yield `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n`;
  yield `<meta http-equiv="content-security-policy" content="${escaped(metaPolicy)}">\n`;
  yield `<meta name="viewport" content="width=device-width">\n<title>${escaped(cover.title)}</title>\n`;
  yield `<style>${style}</style>\n</head>\n<body>\n<h1>${escaped(cover.title)}</h1>\n<dl>\n`;
  for (const [name, value] of cover.facts) {
    yield `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>\n`;
  }
  yield "</dl>\n";
  for await (const { heading, level, note, at, parts } of entries) {
    yield level === 2 ? "<section>\n" : '<section class="within">\n';
    yield `<h${level}>${escaped(heading)}</h${level}>\n`;
    yield `<div class="note">${escaped(noteOf(note, at))}</div>\n`;
    for (const part of parts) yield partOf(part);
    yield "</section>\n";
  }
  yield "</body>\n</html>\n";
}

function partOf(part: Part): string {
  switch (part.type) {
    case "prose":
      return (safePieces(part.text) ?? [{ isCode: false, text: part.text }])
        .map(({ isCode, text }) => (isCode ? preOf(text) : proseOf(text)))
        .join("");
    case "code": {
      const label = part.label ? `<div class="note">${escaped(part.label)}</div>\n` : "";
      return `${label}${preOf(part.text)}`;
    }
    case "facts":
      return `<div>${part.facts
        .map(([name, value]) => `${escaped(name)}: <code>${escaped(value)}</code>`)
        .join(", ")}</div>\n`;
    case "checklist":
      return `<ul>\n${part.entries
        .map(({ text, status }) => `<li>${escaped(`${checks[status] ?? ""}${text}`)}</li>\n`)
        .join("")}</ul>\n`;
    case "remark":
      return `<div class="note">${escaped(part.text)}</div>\n`;
    default:
      return imageOf(part.mimeType, part.data);
  }
}

function proseOf(text: string): string {
  return `<div class="prose">${escaped(text.trim())}</div>\n`;
}

function preOf(text: string): string {
  return `<pre><code>${escaped(text)}</code></pre>\n`;
}

const checks: Readonly<Record<string, string>> = {
  completed: "Done: ",
  in_progress: "In progress: ",
};

const imageTypes: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);

/** SVG is excluded, because it is a document that can contain scripts. */
function imageOf(mimeType: string, data: string): string {
  if (!imageTypes.has(mimeType) || !/^[A-Za-z0-9+/]+=*$/.test(data)) {
    return `<div class="note">An image (${escaped(mimeType)}) is omitted here.</div>\n`;
  }
  return `<img alt="image" src="data:${mimeType};base64,${data}">\n`;
}
