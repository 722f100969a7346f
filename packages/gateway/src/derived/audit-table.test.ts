import type { EventBody } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDerived, type Derived } from "./derived.ts";
import {
  numbered,
  opened,
  permission,
  prompt,
  says,
  settled,
  started,
  toolCall,
  toolUpdate,
  turn,
  turnEnd,
} from "./sample-events.ts";

let derived: Derived;

beforeEach(() => {
  derived = openDerived(":memory:");
});

afterEach(() => derived.close());

const conversation = [
  opened,
  started,
  prompt("Please rename the helper"),
  turn(),
  says("I will "),
  says("look at it."),
  toolCall("call-1", { kind: "edit", locations: [{ path: "/repo/src/helper.ts" }] }),
  permission("ask-1"),
];

describe("the audit", () => {
  it("has each tool call's start and end, each file, command and decision", () => {
    derived.apply("s", numbered(conversation));
    derived.apply(
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
    const second = { toolCallId: "call-2", title: "Tool call-2", kind: null, execution };
    const titles = ["Tool call-1", "Write a.txt"];
    expect(
      derived.audit({ sessionId: "s" }).entries.map(({ seq, what, detail }) => [seq, what, detail]),
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

  it("ends a call whose id is used again in a later turn", () => {
    derived.apply(
      "s",
      numbered([opened, toolCall("1"), turn(), toolCall("1", { title: "rm" }), turnEnd()]),
    );
    expect(
      derived.audit().entries.map(({ seq, what, detail }) => [seq, what, detail["title"]]),
    ).toEqual([
      [2, "tool-started", "Tool 1"],
      [4, "tool-ended", "Tool 1"],
      [4, "tool-started", "rm"],
      [5, "tool-ended", "rm"],
    ]);
    expect(derived.session("s")?.counts.toolCalls).toBe(2);
  });

  it("keeps the newest of too many names, and says that there were more", () => {
    const renames = Array.from({ length: 150 }, (_, index) =>
      toolUpdate("1", { title: `Step ${index}` }),
    );
    derived.apply("s", numbered([opened, toolCall("1"), ...renames, turnEnd()]));
    const { titles, truncated } = derived.audit().entries.at(-1)?.detail ?? {};
    expect(titles).toHaveLength(100);
    expect(titles).toContain("Tool 1");
    expect(titles).toContain("Step 149");
    expect(truncated).toBe(true);
  });

  it("comes in pages, in the order of time across sessions", () => {
    const written = (name: string): EventBody => ({
      kind: "file-written",
      path: name,
      bytes: 1,
      via: "disk",
    });
    derived.apply("b", numbered([opened, written("1"), written("3")]));
    derived.apply("a", numbered([opened, written("2"), written("4"), written("5")]));
    const paths: unknown[] = [];
    let after: string | null = null;
    do {
      const page = derived.audit({ limit: 2, ...(after === null ? {} : { after }) });
      paths.push(...page.entries.map(({ detail }) => detail["path"]));
      after = page.nextCursor;
    } while (after !== null);
    expect(paths).toEqual(["2", "1", "4", "3", "5"]);
    expect(() => derived.audit({ after: "nonsense" })).toThrow("The cursor is not one");
  });

  it("keeps details bounded, and says where it cut", () => {
    const args = Array.from({ length: 10_000 }, () => "x".repeat(100));
    derived.apply(
      "s",
      numbered([{ kind: "terminal-opened", terminalId: "t", command: "c", args, cwd: "/" }]),
    );
    const [entry] = derived.audit().entries;
    expect(entry?.detail).toMatchObject({ command: "c", truncated: true });
    expect(JSON.stringify(entry?.detail).length).toBeLessThan(30_000);
  });
});
