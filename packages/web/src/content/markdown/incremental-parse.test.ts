import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import type { ShownNode } from "./block-groups.ts";
import { parseMarkdown } from "./parse.ts";
import {
  emptyParse,
  plainLength,
  parseMore,
  stepLength,
  type ParseState,
} from "./incremental-parse.ts";
import { parseWhole } from "./parse-whole.ts";

function readChunks(chunks: readonly string[]): ParseState {
  let reading = emptyParse;
  let text = "";
  for (const chunk of chunks) {
    text += chunk;
    while (reading.text.length < text.length) reading = parseMore(reading, text);
  }
  return reading;
}

/** Nodes without positions, which depend on where a piece starts. */
function bare(nodes: readonly ShownNode[]): unknown {
  return JSON.parse(
    JSON.stringify(nodes, (key, value: unknown) => (key === "position" ? undefined : value)),
  );
}

function nodesOf(reading: ParseState): ShownNode[] {
  const settled = reading.groups.flatMap(({ blocks }) => blocks);
  return [...settled, ...reading.tail].map(({ node }) => node);
}

function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  const chunks: string[] = [];
  let from = 0;
  for (const place of [...places, text.length]) {
    if (place > from) chunks.push(text.slice(from, place));
    from = Math.max(from, place);
  }
  return chunks;
}

const pieces = [
  ...Array.from("\n\n\n\n   `*_~#>-+=|[]()!\\<&:.1a"),
  "\n\n",
  "```",
  "```ts\n",
  "\n```\n",
  "~~~~\n",
  "    ",
  "\t",
  "- ",
  "* a\n",
  "1. ",
  "2) b\n",
  "- [ ] ",
  "- [x] done\n",
  "> ",
  "> quote\n",
  "# ",
  "\n---\n",
  "***\n",
  "===\n",
  "| a | b |\n",
  "| - | :-: |\n",
  "<div>\n",
  "</div>\n",
  "<!-- ",
  "-->",
  "<b>",
  "word ",
  "**bold**",
  "`code`",
  "https://example.com/a_b",
  "[link](/x)",
  "![alt](y)",
  "\r\n",
  "é",
  "🙂",
];

const markdown = fc
  .array(fc.constantFrom(...pieces), { maxLength: 40 })
  .map((parts) => parts.join(""))
  // Definitions and footnotes may refer across pieces and have their own test.
  .filter((text) => !parseWhole(text).definitions.size && !text.includes("[^"));

describe("parsing a growing text", () => {
  property.prop([markdown, fc.array(fc.nat(), { maxLength: 60 })], { numRuns: 400 })(
    "gives the blocks of the whole text for any chunks",
    (text, cuts) => {
      expect(bare(nodesOf(readChunks(cutAt(text, cuts))))).toEqual(
        bare(parseMarkdown(text).children),
      );
    },
  );

  property.prop([markdown], { numRuns: 100 })(
    "gives the blocks of the whole text for single characters",
    (text) => {
      expect(bare(nodesOf(readChunks(Array.from(text))))).toEqual(
        bare(parseMarkdown(text).children),
      );
    },
  );

  it("parses a list after indented code as the whole text does", () => {
    const text = "+\n\n    ***\n2) b\n";
    expect(bare(nodesOf(readChunks([text])))).toEqual(bare(parseMarkdown(text).children));
  });

  it("keeps finished blocks and parses only the tail", () => {
    const paragraphs = Array.from({ length: 200 }, (_, index) => `Paragraph ${index}.\n\n`);
    const before = readChunks(paragraphs);
    const after = parseMore(before, `${before.text}More`);
    expect(after.groups.slice(0, -1)).toEqual(before.groups.slice(0, -1));
    expect(after.groups[0]).toBe(before.groups[0]);
    expect(after.text.length - after.at).toBeLessThan(40);
  });

  it("does not parse the lines of an open fence", () => {
    const opened = readChunks(["Look:\n\n", "```ts\n", "let a;\n"]);
    let reading = opened;
    for (let line = 0; line < 2_000; line += 1) {
      reading = parseMore(reading, `${reading.text}# line ${line}\n`);
    }
    expect(reading.passes).toBe(opened.passes);
    reading = readChunks([`${reading.text}\`\`\`\n\nDone`]);
    expect(nodesOf(reading).map(({ type }) => type)).toEqual(["paragraph", "code", "paragraph"]);
  });

  it("does not parse a very long block repeatedly, and continues after it", () => {
    const sentence = "A paragraph without end. ";
    let text = "";
    let reading = emptyParse;
    while (text.length < 3 * plainLength) {
      text += sentence.repeat(100);
      while (reading.text.length < text.length) reading = parseMore(reading, text);
    }
    const { passes } = reading;
    reading = parseMore(reading, `${text}${sentence}\n\n# Ne`);
    reading = parseMore(reading, `${text}${sentence}\n\n# Next\n\n- a list\n`);
    expect(nodesOf(reading).map(({ type }) => type)).toEqual(["plain", "heading", "list"]);
    expect(reading.passes - passes).toBeLessThan(4);
  });

  it("parses a long text in steps", () => {
    const text = "Word word.\n\n".repeat(stepLength / 4);
    expect(parseMore(emptyParse, text).text).toHaveLength(stepLength);
    expect(nodesOf(readChunks([text]))).toHaveLength(stepLength / 4);
  });

  it("does not parse blocks that are nested too deep", () => {
    const reading = readChunks([`${"> ".repeat(200)}${"x\n".repeat(2_000)}\nAfter\n\nit\n`]);
    expect(nodesOf(reading).map(({ type }) => type)).toEqual(["plain", "paragraph", "paragraph"]);
  });

  it("starts again if the text was replaced", () => {
    const reading = parseMore(readChunks(["# One\n\ntwo\n\nthree"]), "Other");
    expect(bare(nodesOf(reading))).toEqual(bare(parseMarkdown("Other").children));
  });

  it("knows when a reference may cross pieces", () => {
    expect(readChunks(["A [link].\n\n", "B\n\n", "[link]: /x\n\n", "C\n\nD"]).hasReferences).toBe(
      true,
    );
    expect(readChunks(["A [link].\n\n", "B\n\n", "C\n\nD"]).hasReferences).toBe(false);
  });
});
