import type { AskOpened } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { askDetails } from "./ask-details.ts";

const ask = (content: readonly object[]): AskOpened => ({
  kind: "ask-opened",
  askId: "a",
  ask: "permission",
  toolCall: { toolCallId: "c", title: "Write a.ts", content: content as never },
  options: [],
});
const text = (words: unknown) => ({ type: "content", content: { type: "text", text: words } });
const diff = (oldText: unknown, newText: unknown) => ({
  type: "diff",
  path: "/repo/a.ts",
  oldText,
  newText,
});
const lines = (content: readonly object[]) =>
  askDetails(ask(content)).map(({ text: line }) => line);

describe("the details of a request", () => {
  it("are the agent's reason, and the change", () => {
    expect(
      lines([text("Asked because it is new.\nLook."), diff("one\ntwo\n", "one\nthree\n")]),
    ).toEqual([
      "  | Asked because it is new.",
      "  | Look.",
      "  | /repo/a.ts",
      "  | @@ -1,2 +1,2 @@",
      "  |  one",
      "  | -two",
      "  | +three",
    ]);
  });

  it("are every line of a new file", () => {
    expect(lines([diff(null, "one\n")])).toEqual(["  | /repo/a.ts (new file)", "  | +one"]);
  });

  it("report omitted parts of a long change, line or text", () => {
    const many = Array.from({ length: 300 }, (_, index) => `line ${index}`).join("\n");
    const change = lines([diff(null, many)]);
    expect(change.length).toBeLessThan(100);
    expect(change.at(-1)).toMatch(/^ {2}\| … \d+ more lines$/);
    expect(lines([text("x".repeat(10_000))])[0]).toMatch(/x… \(9000 more characters\)$/);
    expect(lines([text(many)]).at(-1)).toMatch(/… 240 more lines/);
  });

  it("report a text that is not in the event", () => {
    const far = { $blob: "hash", bytes: 9 };
    expect(lines([text(far), diff("a", far)])).toEqual([
      "  | /repo/a.ts",
      "  | (too long to be shown here)",
    ]);
  });

  it("are empty for a question, and if the agent sends none", () => {
    expect(lines([])).toEqual([]);
    expect(lines([{ type: "terminal", terminalId: "t" }, text(7)])).toEqual([]);
  });
});
