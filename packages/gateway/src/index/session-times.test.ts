import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventBody } from "@landline/protocol";
import { expect, test } from "vitest";
import { feed } from "../../test/index/feed.ts";
import { openDerived } from "./derived.ts";
import {
  numbered,
  opened,
  prompt,
  says,
  started,
  turn,
  turnEnd,
} from "../../test/index/sample-events.ts";

test("nothing happened in a session where an agent comes, speaks outside of turns, or goes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "landline-derived-"));
  const derived = openDerived(join(folder, "derived.sqlite"));
  try {
    const talk = [opened, started, prompt("Please"), turn(), says("I will."), turnEnd()];
    const exited: EventBody = { kind: "agent-exited", code: 0, signal: null, stderr: "" };
    await feed(derived, "s", numbered(talk));
    await feed(derived, "s", numbered([exited, started, says("By the way.")], 7));
    expect(derived.session("s")).toMatchObject({ head: 9, lastAt: 1_006 });
    await feed(derived, "s", numbered([prompt("Go on", "p2")], 10));
    expect(derived.session("s")).toMatchObject({ head: 10, lastAt: 1_010 });
  } finally {
    derived.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
