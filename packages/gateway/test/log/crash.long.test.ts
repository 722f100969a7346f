import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileLogs } from "../../src/log/file-logs.ts";
import { readAll } from "./log.contract.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "landline-crash-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const writer = path.join(import.meta.dirname, "crash-writer.ts");

/** Kills the writer shortly after its first acknowledgement and returns the last acknowledged sequence number. */
async function writeAndKill(
  sessionId: string,
  durability: string,
  afterMs: number,
): Promise<number> {
  const child = spawn(
    process.execPath,
    ["--conditions=@landline/source", writer, folder, sessionId, durability],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let said = "";
  let killing = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-64);
    if (killing) return;
    killing = true;
    setTimeout(() => child.kill("SIGKILL"), afterMs);
  });
  await once(child, "close");
  return Number(said.split("\n").at(-2));
}

for (const durability of ["process", "disk"]) {
  test(`SIGKILL at random points loses no acknowledged event (${durability})`, async () => {
    const sessionId = "crashing";
    let acknowledged = 0;
    const rounds = 8;
    for (let round = 0; round < rounds; round++) {
      acknowledged = await writeAndKill(sessionId, durability, Math.random() * 60);
      const logs = fileLogs(folder);
      const log = await logs.open(sessionId);
      expect(log.head).toBeGreaterThanOrEqual(acknowledged);
      const numbers = (await readAll(log)).map((event) => event.seq);
      expect(numbers).toEqual(Array.from({ length: log.head }, (_, index) => index + 1));
      await logs.close();
    }
    // Each round ends after at least one.
    expect(acknowledged).toBeGreaterThanOrEqual(rounds);
  });
}
