import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventBody } from "@landline/protocol";
import { expect, test } from "vitest";
import { openDerived } from "./derived.ts";
import { numbered, opened, prompt, says, started, turn, turnEnd } from "./sample-events.ts";

test("nothing happened in a session where an agent comes, speaks outside of turns, or goes", () => {
  const folder = mkdtempSync(join(tmpdir(), "landline-derived-"));
  const derived = openDerived(join(folder, "derived.sqlite"));
  try {
    const talk = [opened, started, prompt("Please"), turn(), says("I will."), turnEnd()];
    const exited: EventBody = { kind: "agent-exited", code: 0, signal: null, stderr: "" };
    derived.apply("s", numbered(talk));
    derived.apply("s", numbered([exited, started, says("By the way.")], 7));
    expect(derived.session("s")).toMatchObject({ head: 9, lastAt: 1_006 });
    derived.apply("s", numbered([prompt("Go on", "p2")], 10));
    expect(derived.session("s")).toMatchObject({ head: 10, lastAt: 1_010 });
  } finally {
    derived.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
