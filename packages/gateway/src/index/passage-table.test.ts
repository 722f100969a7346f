import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { feed, finishMessages } from "../../test/index/feed.ts";
import type { EventBody } from "@landline/protocol";
import { openIndexDatabase, type IndexDatabase } from "./index-database.ts";
import {
  numbered,
  opened,
  prompt,
  says,
  toolCall,
  toolUpdate,
  turn,
  turnEnd,
  update,
} from "../../test/index/sample-events.ts";

let indexDatabase: IndexDatabase;

beforeEach(() => {
  indexDatabase = openIndexDatabase(":memory:");
});

afterEach(() => indexDatabase.close());

/** The search results, as "kind: text" with the matches in brackets. */
function found(text: string, sessionId?: string): string[] {
  return indexDatabase.search(text, sessionId === undefined ? {} : { sessionId }).map((hit) => {
    let shown = hit.snippet.text;
    for (const [from, to] of hit.snippet.marks.toReversed())
      shown = `${shown.slice(0, from)}[${shown.slice(from, to)}]${shown.slice(to)}`;
    return `${hit.kind}: ${shown}`;
  });
}

describe("search", () => {
  const texts: Record<string, string> = {
    quoted: `He said "hello world" and left`,
    hyphen: "a well-known state-of-the-art thing",
    operators: "use AND or OR, NOT near( x ) ^caret {braces} col:umn star*",
    accents: "Żółw naïve café résumé",
    japanese: "日本語のテキストを検索する",
    emoji: "ship it 🚀🚀 nice👍work 👩‍👩‍👧 done",
    code: "const x = items[0]?.name ?? `default`; // C++ && C#",
    path: "see packages/gateway/src/log/log.ts for more",
    hangul: "한국어 텍스트",
  };

  beforeEach(async () => {
    await feed(
      indexDatabase,
      "s",
      numbered(Object.entries(texts).map(([name, text]) => prompt(text, name))),
    );
  });

  it.each([
    ["hello", ['prompt: He said "[hello] world" and left']],
    ['"hello world"', ['prompt: He said "[hello world]" and left']],
    ['"world hello"', []],
    ["hel wor", []],
    ["hello wor", ['prompt: He said "[hello] [world]" and left']],
    ["world hello", ['prompt: He said "[hello] [world]" and left']],
    ["well-known", ["prompt: a [well-known] state-of-the-art thing"]],
    ["state-of", ["prompt: a well-known [state-of]-the-art thing"]],
    ["AND OR NOT", ["prompt: use [AND] [or] [OR], [NOT] near( x ) ^caret {braces} col:umn star*"]],
    ["NEAR(x", ["prompt: use AND or OR, NOT [near( x] ) ^caret {braces} col:umn star*"]],
    ["col:umn", ["prompt: use AND or OR, NOT near( x ) ^caret {braces} [col:umn] star*"]],
    ["text:hello", []],
    ["^caret -braces", ["prompt: use AND or OR, NOT near( x ) ^[caret] {[braces]} col:umn star*"]],
    ["star*", ["prompt: use AND or OR, NOT near( x ) ^caret {braces} col:umn [star]*"]],
    ["cafe RESUME", ["prompt: Żółw naïve [café] [résumé]"]],
    ["żó", ["prompt: [Żółw] naïve café résumé"]],
    ["テキスト", ["prompt: 日本語の[テキスト]を検索する"]],
    ["本語 検索", ["prompt: 日[本語]のテキストを[検索]する"]],
    ["텍스", ["prompt: 한국어 [텍스트]"]],
    ["🚀", ["prompt: ship it [🚀🚀] nice👍work 👩‍👩‍👧 done"]],
    ["👍", ["prompt: ship it 🚀🚀 nice[👍]work 👩‍👩‍👧 done"]],
    ["👩‍👩‍👧 don", ["prompt: ship it 🚀🚀 nice👍work [👩‍👩‍👧] [done]"]],
    ["items[0]?.name", ["prompt: const x = [items[0]?.name] ?? `default`; // C++ && C#"]],
    ["log/log.ts", ["prompt: see packages/gateway/src/[log/log.ts] for more"]],
    ["'; DROP TABLE passages; --", []],
    ['" OR "1', []],
    ["\u0000 \u0001 hello\u0002", ['prompt: He said "[hello] world" and left']],
    ["hel\u0000lo", []],
    ["\ud800", []],
    ["***", []],
    ["", []],
  ])("finds the matches for %j", (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it("accepts a query of any length", async () => {
    expect(found(`hello ${"x".repeat(1_000_000)}`)).toEqual([]);
    expect(found(`hello ${" ".repeat(1_000_000)}`)).toHaveLength(1);
    expect(found('"'.repeat(100_000))).toEqual([]);
    expect(found("a ".repeat(100_000))).toBeDefined();
  });

  it("searches one session if requested, newest first, up to its limit", async () => {
    await feed(indexDatabase, "t", numbered([prompt("hello again")]));
    expect(found("hello")).toEqual([
      "prompt: [hello] again",
      'prompt: He said "[hello] world" and left',
    ]);
    expect(found("hello", "s")).toEqual(['prompt: He said "[hello] world" and left']);
    expect(indexDatabase.search("hello", { limit: 1 })).toMatchObject([
      { sessionId: "t", seq: 1, at: 1_001, kind: "prompt" },
    ]);
  });

  it("follows prompts that are changed or withdrawn", async () => {
    const content = [{ type: "text", text: "goodbye" } as const];
    await feed(
      indexDatabase,
      "s",
      numbered([{ kind: "prompt-changed", promptId: "quoted", content, by: "x" }], 10),
    );
    expect(found("hello")).toEqual([]);
    expect(found("goodbye")).toHaveLength(1);
    await feed(
      indexDatabase,
      "s",
      numbered([{ kind: "prompt-withdrawn", promptId: "quoted", by: "x" }], 11),
    );
    expect(found("goodbye")).toEqual([]);
  });
});

describe("searchable text", () => {
  it("is a complete message, once the next item in its thread ends it", async () => {
    await feed(
      indexDatabase,
      "s",
      numbered([opened, turn(), says("The quick "), says("brown fox")]),
    );
    expect(found("quick fox")).toEqual([]);
    await feed(
      indexDatabase,
      "s",
      numbered([update({ sessionUpdate: "usage_update", used: 1, size: 2 })], 5),
    );
    expect(found("quick")).toEqual([]);
    await feed(indexDatabase, "s", numbered([says(" jumps"), toolCall("call-1")], 6));
    expect(found("quick jumps")).toEqual(["message: The [quick] brown fox [jumps]"]);
    expect(indexDatabase.search("quick")).toMatchObject([{ seq: 3 }]);
  });

  it("is a message that the end of the turn finished", async () => {
    await feed(indexDatabase, "s", numbered([opened, turn(), says("half a"), turnEnd()]));
    expect(found("half")).toEqual(["message: [half] a"]);
  });

  it("is an unfinished message once it was flushed, and later the finished one instead", async () => {
    await feed(indexDatabase, "s", numbered([opened, turn(), says("begin")]));
    await finishMessages(indexDatabase);
    expect(found("begin")).toEqual(["message: [begin]"]);
    await feed(indexDatabase, "s", numbered([says("ning and end"), turnEnd()], 4));
    expect(found("begin")).toEqual(["message: [beginning] and end"]);
    expect(found("end")).toHaveLength(1);
  });

  it("is each message of each thread separately", async () => {
    await feed(
      indexDatabase,
      "s",
      numbered([
        says("main one ", "m1"),
        says("kid one", undefined, "kid"),
        says("goes on", "m1"),
        says("main two", "m2"),
        turnEnd(),
      ]),
    );
    expect(found("one").sort()).toEqual(["message: kid [one]", "message: main [one] goes on"]);
    expect(found("main")).toHaveLength(2);
  });

  it("is the latest title of a tool call and every path that it named", async () => {
    await feed(
      indexDatabase,
      "s",
      numbered([
        toolUpdate("call-1", { locations: [{ path: "/repo/first.ts" }] }),
        toolCall("call-1", { title: "Edit things" }),
        toolUpdate("call-1", {
          title: "Edit other",
          content: [{ type: "diff", path: "/repo/second.ts", newText: "x" }],
        }),
        toolUpdate("call-1", { title: { $blob: "x", bytes: 1 }, locations: "nonsense" }),
      ]),
    );
    expect(found("things")).toEqual([]);
    expect(found("first.ts")).toEqual(["tool-call: Edit other\n/repo/[first.ts]\n/repo/second.ts"]);
    expect(found("edit second")).toHaveLength(1);
  });

  it("is everything that a tool call names", async () => {
    const rawInput = {
      command: ["bash", "-c", `rm ${"x".repeat(20_000)}`],
      url: "https://evil.example/payload",
      script: `shred ${"y".repeat(20_000)}`,
      files: Array.from({ length: 90 }, (_, index) => `/srv/${index}/${"z".repeat(300)}`),
    };
    await feed(indexDatabase, "s", numbered([toolCall("1", { title: "Clean", rawInput })]));
    const searches = ["clean", "bash rm", "evil.example", "shred", "srv 0", "srv 89"];
    expect(searches.map((words) => found(words).length)).toEqual(searches.map(() => 1));
  });

  it("is bounded in length", async () => {
    await feed(
      indexDatabase,
      "s",
      numbered([says(`start ${"x ".repeat(15_000)}`), says(" finish"), turnEnd()]),
    );
    await feed(indexDatabase, "s", numbered([prompt(`begin ${"y ".repeat(15_000)} limit`)], 4));
    expect(found("start")).toHaveLength(1);
    expect(found("finish")).toEqual([]);
    expect(found("limit")).toEqual([]);
  });
});

const secret = numbered([opened, prompt("first", "p0"), prompt("zyxunheardof")]);

it.each([
  ["changed", numbered([{ ...prompt("other"), kind: "prompt-changed" } as EventBody], 4)],
  ["withdrawn", numbered([{ kind: "prompt-withdrawn", promptId: "p1", by: "x" }], 4)],
  ["deleted with its session", null],
])("leaves no word of %s on the disk", async (_how, events) => {
  const folder = mkdtempSync(join(tmpdir(), "landline-words-"));
  const isThere = () =>
    readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes("zyxunheardof"));
  try {
    using file = openIndexDatabase(join(folder, "derived.sqlite"));
    await feed(file, "s", secret);
    expect(isThere()).toBe(true);
    if (events === null) while (!file.deleteSession("s"));
    else await feed(file, "s", events);
    file.close();
    expect(isThere()).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
