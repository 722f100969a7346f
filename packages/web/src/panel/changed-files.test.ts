import {
  emptyView,
  fold,
  type EventBody,
  type SessionView,
  type Subagent,
} from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { opened } from "../../test/staged-session.tsx";
import { countOfItem } from "../tools/line-count.ts";
import { changedFiles } from "./changed-files.ts";
import { subagentTree, subagentWord, toolsUsed, type SubagentNode } from "./subagent-tree.ts";

const viewOf = (...bodies: readonly EventBody[]): SessionView =>
  fold(
    emptyView(),
    [opened, ...bodies].map((body, index) =>
      Object.assign({}, body, { seq: index + 1, at: index }),
    ),
  );

const edit = (id: string, fields: Readonly<Record<string, unknown>>): EventBody => ({
  kind: "update",
  update: { sessionUpdate: "tool_call", toolCallId: id, title: id, kind: "edit", ...fields },
});

const diff = (path: string, oldText: string | null, newText: string) => ({
  status: "completed",
  content: [{ type: "diff", path, oldText, newText }],
});

describe("changed files", () => {
  it("are those of completed calls, with their line counts added up", async () => {
    const view = viewOf(
      edit("1", diff("/repo/a.ts", "a\n", "b\nc\n")),
      edit("2", diff("a.ts", "c\n", "")),
      edit("3", { ...diff("/repo/no.ts", null, "x"), status: "failed" }),
      edit("4", { status: "completed", locations: [{ path: "/repo/b.ts" }] }),
    );
    expect(await changedFiles([view], countOfItem)).toEqual([
      { path: "/repo/a.ts", count: { added: 2, removed: 2 }, call: 3 },
      { path: "/repo/b.ts", count: null, call: 5 },
    ]);
  });

  it("include those that the gateway wrote, and those of subagents", async () => {
    const view = viewOf(
      { kind: "file-written", path: "/repo/w.ts", bytes: 1, via: "disk" },
      { kind: "file-read", path: "/repo/r.ts", bytes: 1, via: "disk" },
      { ...edit("1", diff("/repo/s.ts", null, "x\n")), child: "c" } as EventBody,
    );
    const files = await changedFiles([view], countOfItem);
    expect(files.map(({ path }) => path)).toEqual(["/repo/s.ts", "/repo/w.ts"]);
  });

  it("count a call in two parts once, as in the later one", async () => {
    const older = viewOf(edit("1", { status: "pending" }), edit("2", diff("b.ts", null, "b\n")));
    const view = viewOf(edit("1", diff("a.ts", null, "a\n")), edit("2", diff("b.ts", null, "b\n")));
    expect(await changedFiles([older, view], countOfItem)).toMatchObject([
      { path: "/repo/a.ts", count: { added: 1, removed: 0 } },
      { path: "/repo/b.ts", count: { added: 1, removed: 0 } },
    ]);
  });

  it("are empty if nothing was changed", async () => {
    expect(await changedFiles([], countOfItem)).toEqual([]);
    expect(await changedFiles([viewOf()], countOfItem)).toEqual([]);
  });
});

describe("subagents", () => {
  const subagent = (key: string, parent: string | null) => ({ key, parent }) as Subagent;
  const shape = (nodes: readonly SubagentNode[]): unknown =>
    nodes.map((node) => [node.subagent.key, shape(node.children)]);

  it("form a tree", () => {
    const tree = subagentTree([
      subagent("a", null),
      subagent("b", "a"),
      subagent("c", "b"),
      subagent("d", "nobody"),
      subagent("e", "a"),
    ]);
    expect(shape(tree)).toEqual([
      [
        "a",
        [
          ["b", [["c", []]]],
          ["e", []],
        ],
      ],
      ["d", []],
    ]);
  });

  it("are each shown once, even in a cycle", () => {
    const tree = subagentTree([subagent("a", "b"), subagent("b", "a"), subagent("c", "c")]);
    expect(shape(tree)).toEqual([
      ["c", []],
      ["a", [["b", []]]],
    ]);
  });

  it("have a state and count their calls", () => {
    expect(["running", "requires_action", "half_done"].map(subagentWord)).toEqual([
      "Running",
      "Needs you",
      "half done",
    ]);
    const view = viewOf({
      kind: "update",
      child: "c",
      update: { sessionUpdate: "tool_call", toolCallId: "t", title: "t" },
    });
    expect(view.subagents.map(toolsUsed)).toEqual([1]);
  });
});
