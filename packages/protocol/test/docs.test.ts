import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { readBridgeMessage } from "../src/compat/dialects/bridge-message.ts";
import {
  errorTable,
  eventTable,
  limitTable,
  operationTable,
  type Table,
  updateTable,
} from "./doc-tables.ts";

/** The tables in docs/ match the code. The name of a failing test says how to update them. */
const update = "UPDATE_DOCS=1 npx vitest run packages/protocol/test/docs.test.ts && npx oxfmt docs";

const pageUrl = (name: string) => new URL(`../../../docs/${name}.md`, import.meta.url);

/** A table is between `<!-- table: name -->` and `<!-- end -->`. */
function placeOf(name: string): RegExp {
  return new RegExp(`(<!-- table: ${name} -->)([\\s\\S]*?)(<!-- end -->)`);
}

const dashes = /^[\s|:-]+$/;

/** The cells, so that column widths do not matter. */
function readTable(page: string, name: string): Table {
  const [, , text = ""] = placeOf(name).exec(page) ?? [];
  return text
    .split("\n")
    .filter((line) => line.trim() !== "" && !dashes.test(line))
    .map((line) =>
      line
        .trim()
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
}

function written(table: Table): string {
  const [head = [], ...rows] = table;
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return `\n\n${lines.join("\n")}\n\n`;
}

describe.each([
  ["api", "operations", operationTable()],
  ["errors", "errors", errorTable()],
  ["limits", "limits", limitTable()],
  ["dialects", "events", eventTable()],
  ["dialects", "updates", updateTable()],
])("docs/%s.md", (page, name, table) => {
  it(`has the table of ${name} (if not: ${update})`, async () => {
    const text = await readFile(pageUrl(page), "utf8");
    const updated = text.replace(placeOf(name), (_all, start: string, _old, end: string) =>
      [start, written(table), end].join(""),
    );
    const isUpdate = process.env["UPDATE_DOCS"] === "1";
    if (isUpdate) await writeFile(pageUrl(page), updated);
    expect(readTable(isUpdate ? updated : text, name)).toEqual(table);
  });
});

describe("the messages in docs/dialects.md", () => {
  it("are read, one of each kind", async () => {
    const page = await readFile(pageUrl("dialects"), "utf8");
    const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].flatMap(([, block = ""]) =>
      block.trim().split("\n"),
    );
    const messages = blocks.map((line) => JSON.parse(line) as { type: string });
    expect(messages.map(({ type }) => type)).toEqual([
      "new_session",
      "load_session",
      "send_message",
      "cancel_turn",
      "permission_response",
      "change_mode",
    ]);
    expect(messages.map((message) => readBridgeMessage(message).type)).toEqual([
      "open",
      "attach",
      "prompt",
      "cancel",
      "answer",
      "set-mode",
    ]);
  });
});
