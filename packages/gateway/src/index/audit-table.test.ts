import type { EventBody, RawUpdate } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { feed } from "../../test/index/feed.ts";
import { openIndexDatabase, type IndexDatabase } from "./index-database.ts";
import {
  conversation,
  numbered,
  opened,
  settled,
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

describe("the audit", () => {
  it("has each tool call's start and end, each file, command and decision", async () => {
    await feed(indexDatabase, "s", numbered(conversation));
    await feed(
      indexDatabase,
      "s",
      numbered(
        [
          settled("ask-1"),
          { kind: "file-written", path: "/repo/a.txt", bytes: 8, via: "disk", ask: "ask-1" },
          { kind: "terminal-opened", terminalId: "x", command: "ls", args: ["-l"], cwd: "/repo" },
          { kind: "terminal-exited", terminalId: "x", exitCode: 0, signal: null },
          { kind: "file-read", path: "/repo/b.txt", bytes: 1, via: "editor", line: 3 },
          toolUpdate("call-1", { status: "in_progress" }),
          toolUpdate("call-1", { status: "completed" }),
          toolUpdate("call-1", { status: "completed" }),
          toolCall("call-2"),
          turnEnd(),
          toolUpdate("call-2", { status: "failed" }),
        ],
        9,
      ),
    );
    const tool = { toolCallId: "call-1", kind: "edit", paths: ["/repo/src/helper.ts"] };
    const execution = { by: "agent", agent: "held", decisions: [] };
    const asked = { askId: "ask-1", outcome: "allowed", option: "allow_once" };
    const allowed = {
      execution: { ...execution, decisions: [{ ...asked, by: { client: "client-2" } }] },
    };
    const second = { toolCallId: "call-2", title: "Tool call-2", kind: "other", execution };
    const titles = ["Tool call-1", "Write a.txt"];
    expect(
      indexDatabase
        .audit({ sessionId: "s" })
        .entries.map(({ seq, what, detail }) => [seq, what, detail]),
    ).toEqual([
      [7, "tool-started", { ...tool, title: "Tool call-1", execution }],
      [
        9,
        "permission-decided",
        {
          askId: "ask-1",
          by: { client: "client-2" },
          outcome: "selected",
          optionId: "yes",
          ...tool,
          title: "Write a.txt",
          titles,
          ...allowed,
        },
      ],
      [10, "file-written", { path: "/repo/a.txt", bytes: 8, via: "disk", ask: "ask-1" }],
      [11, "command-started", { terminalId: "x", command: "ls", args: ["-l"], cwd: "/repo" }],
      [12, "command-ended", { terminalId: "x", exitCode: 0, signal: null }],
      [13, "file-read", { path: "/repo/b.txt", bytes: 1, via: "editor", line: 3 }],
      [
        15,
        "tool-ended",
        { ...tool, title: "Write a.txt", titles, status: "completed", ...allowed },
      ],
      [17, "tool-started", second],
      [18, "tool-ended", { ...second, status: "unfinished" }],
      [19, "tool-ended", { ...second, status: "failed" }],
    ]);
  });

  it("ends a call whose id is reused in a later turn", async () => {
    await feed(
      indexDatabase,
      "s",
      numbered([opened, toolCall("1"), turn(), toolCall("1", { title: "rm" }), turnEnd()]),
    );
    expect(
      indexDatabase.audit().entries.map(({ seq, what, detail }) => [seq, what, detail["title"]]),
    ).toEqual([
      [2, "tool-started", "Tool 1"],
      [4, "tool-ended", "Tool 1"],
      [4, "tool-started", "rm"],
      [5, "tool-ended", "rm"],
    ]);
  });

  it("has every call that reuses an id within a turn, and every command that a call names", async () => {
    const ls = toolCall("1", { title: "ls", rawInput: { command: "ls" } });
    const rm = toolCall("1", { title: "rm -rf build", rawInput: { command: "rm -rf build" } });
    const done = toolUpdate("1", { status: "completed" });
    await feed(indexDatabase, "ended", numbered([opened, turn(), ls, done, rm, done]));
    await feed(indexDatabase, "open", numbered([opened, turn(), ls, rm]));
    const rowsOf = (sessionId: string) =>
      indexDatabase
        .audit({ sessionId })
        .entries.map(({ what, detail }) => [what, detail["commands"]]);
    expect(rowsOf("ended")).toEqual([
      ["tool-started", ["ls"]],
      ["tool-ended", ["ls"]],
      ["tool-started", ["rm -rf build"]],
      ["tool-ended", ["rm -rf build"]],
    ]);
    expect(rowsOf("open")).toEqual([
      ["tool-started", ["ls"]],
      ["tool-changed", ["ls", "rm -rf build"]],
    ]);
  });

  it("has calls of subagents, and what they name after their end", async () => {
    const inChild = (kind: string, fields: RawUpdate) =>
      update({ sessionUpdate: kind, toolCallId: "1", ...fields }, "kid");
    const late = inChild("tool_call_update", { rawInput: { path: "/etc/passwd" } });
    await feed(
      indexDatabase,
      "s",
      numbered([
        opened,
        turn(),
        toolCall("1"),
        inChild("tool_call", { title: "Look", status: "completed" }),
        turnEnd(),
        late,
        late,
      ]),
    );
    const { entries } = indexDatabase.audit();
    expect(
      entries.map(({ seq, what, detail }) => [seq, what, detail["child"], detail["paths"]]),
    ).toEqual([
      [3, "tool-started", undefined, undefined],
      [4, "tool-started", "kid", undefined],
      [4, "tool-ended", "kid", undefined],
      [5, "tool-ended", undefined, undefined],
      [6, "tool-changed", "kid", ["/etc/passwd"]],
    ]);
  });

  it("keeps the first and the newest names of a call, and says that it omitted some", async () => {
    const renames = Array.from({ length: 150 }, (_, index) =>
      toolUpdate("1", { title: `Step ${index}` }),
    );
    await feed(indexDatabase, "s", numbered([opened, toolCall("1"), ...renames, turnEnd()]));
    const { titles, truncated } = indexDatabase.audit().entries.at(-1)?.detail ?? {};
    expect(titles).toHaveLength(100);
    expect(titles).toContain("Tool 1");
    expect(titles).toContain("Step 149");
    expect(truncated).toBe(true);
  });

  it("is paged, and ordered by time across sessions", async () => {
    const written = (name: string): EventBody => ({
      kind: "file-written",
      path: name,
      bytes: 1,
      via: "disk",
    });
    await feed(indexDatabase, "b", numbered([opened, written("1"), written("3")]));
    await feed(indexDatabase, "a", numbered([opened, written("2"), written("4"), written("5")]));
    const paths: unknown[] = [];
    let after: string | null = null;
    do {
      const page = indexDatabase.audit({ limit: 2, ...(after === null ? {} : { after }) });
      paths.push(...page.entries.map(({ detail }) => detail["path"]));
      after = page.nextCursor;
    } while (after !== null);
    expect(paths).toEqual(["2", "1", "4", "3", "5"]);
    expect(() => indexDatabase.audit({ after: "nonsense" })).toThrow("The cursor is not valid");
  });

  it("has bounded details, and marks truncated ones", async () => {
    const args = Array.from({ length: 10_000 }, () => "x".repeat(100));
    await feed(
      indexDatabase,
      "s",
      numbered([{ kind: "terminal-opened", terminalId: "t", command: "c", args, cwd: "/" }]),
    );
    const [entry] = indexDatabase.audit().entries;
    expect(entry?.detail).toMatchObject({ command: "c", truncated: true });
    expect(JSON.stringify(entry?.detail).length).toBeLessThan(30_000);
  });
});
