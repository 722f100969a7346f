import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { change, command, created, prompt, restored, text } from "../../test/session/records.ts";
import type { SessionRecord } from "../core/record.ts";
import { planRestore } from "./plan-undo.ts";

describe("planning an undo", () => {
  it("has nothing to do without a prompt", () => {
    expect(planRestore("undo", [created(), command("c")])).toBeNull();
    expect(planRestore("redo", [created(), prompt("p")])).toBeNull();
  });

  it("undoes the last prompt that is not undone, ignoring built-in commands", () => {
    const records = [prompt("p1"), prompt("p2"), command("undo")];
    expect(planRestore("undo", records)).toMatchObject({ promptId: "p2", files: [] });
    const once = [...records, restored("undo", "p2"), command("undo")];
    expect(planRestore("undo", once)).toMatchObject({ promptId: "p1" });
    expect(planRestore("redo", once)).toMatchObject({ promptId: "p2" });
    const twice = [...once, restored("undo", "p1")];
    expect(planRestore("undo", twice)).toBeNull();
    expect(planRestore("redo", twice)).toMatchObject({ promptId: "p1" });
    const back = [...twice, restored("redo", "p1"), command("redo")];
    expect(planRestore("redo", back)).toMatchObject({ promptId: "p2" });
    expect(planRestore("undo", back)).toMatchObject({ promptId: "p1" });
  });

  it("redoes nothing after a new prompt", () => {
    const records = [prompt("p1"), restored("undo", "p1"), prompt("p2")];
    expect(planRestore("redo", records)).toBeNull();
    expect(planRestore("undo", records)).toMatchObject({ promptId: "p2" });
  });

  it("restores the text before the first change of each file", () => {
    const records = [
      prompt("p1"),
      change("p1", "/a", "0", "1"),
      prompt("p2"),
      change("p2", "/a", "1", "2"),
      change("p2", "/b", null, "new"),
      change("p2", "/a", "2", "3"),
      change("p2", "/c", "gone", null),
      change("p2", "/d", "same", "other"),
      change("p2", "/d", "other", "same"),
    ];
    const files = [
      { path: "/a", from: "3", to: "1" },
      { path: "/b", from: "new", to: null },
      { path: "/c", from: null, to: "gone" },
    ];
    expect(planRestore("undo", records)?.files).toEqual(files);
    const redo = planRestore("redo", [...records, restored("undo", "p2")]);
    expect(redo?.files).toEqual(files.map(({ path, from, to }) => ({ path, from: to, to: from })));
  });

  it("includes what subagents changed meanwhile", () => {
    const records = [prompt("p1", 10), prompt("p2", 20), change("p2", "/a", "0", "1", { at: 21 })];
    const child = [
      created({ at: 11 }),
      change("c1", "/b", "x", "y", { at: 15 }),
      change("c2", "/a", "1", "2", { at: 25 }),
      change("c2", "/b", "y", "z", { at: 26 }),
    ];
    expect(planRestore("undo", records, [child])?.files).toEqual([
      { path: "/a", from: "2", to: "0" },
      { path: "/b", from: "z", to: "y" },
    ]);
  });

  it("uses the snapshot of the whole turn if there is one", () => {
    const records = [
      prompt("p"),
      change("p", "/a", "after a command", "edited"),
      change("p", "/a", "before", "formatted", { callId: "p" }),
    ];
    expect(planRestore("undo", records)?.files).toEqual([
      { path: "/a", from: "formatted", to: "before" },
    ]);
  });

  test.prop([fc.array(fc.constantFrom("prompt", "undo", "redo"), { maxLength: 30 })])(
    "matches a simple model of undo and redo, in any order",
    (actions) => {
      const records: SessionRecord[] = [created()];
      const standing: string[] = [];
      let undone: string[] = [];
      for (const [index, action] of actions.entries()) {
        if (action === "prompt") {
          records.push(prompt(`p${index}`), text("answer"));
          standing.push(`p${index}`);
          undone = [];
        } else {
          const direction = action === "undo" ? "undo" : "redo";
          const expected = direction === "undo" ? standing.at(-1) : undone.at(-1);
          const plan = planRestore(direction, records);
          expect(plan?.promptId).toBe(expected);
          if (expected === undefined) continue;
          records.push(command(`c${index}`), restored(direction, expected));
          const [from, to] = direction === "undo" ? [standing, undone] : [undone, standing];
          from.pop();
          to.push(expected);
        }
      }
    },
  );
});
