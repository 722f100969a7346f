import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventBody } from "@landline/protocol";
import { expect, test } from "vitest";
import { feed } from "../../test/index/feed.ts";
import { openIndexDatabase } from "./index-database.ts";
import {
  numbered,
  opened,
  prompt,
  says,
  started,
  turn,
  turnEnd,
} from "../../test/index/sample-events.ts";

test("an agent that starts, speaks outside turns or exits is not activity", async () => {
  const folder = mkdtempSync(join(tmpdir(), "landline-derived-"));
  const indexDatabase = openIndexDatabase(join(folder, "derived.sqlite"));
  try {
    const talk = [opened, started, prompt("Please"), turn(), says("I will."), turnEnd()];
    const exited: EventBody = { kind: "agent-exited", code: 0, signal: null, stderr: "" };
    await feed(indexDatabase, "s", numbered(talk));
    await feed(indexDatabase, "s", numbered([exited, started, says("By the way.")], 7));
    expect(indexDatabase.session("s")).toMatchObject({ head: 9, lastAt: 1_006 });
    await feed(indexDatabase, "s", numbered([prompt("Go on", "p2")], 10));
    expect(indexDatabase.session("s")).toMatchObject({ head: 10, lastAt: 1_010 });
  } finally {
    indexDatabase.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
