import { writeSync } from "node:fs";
import { limitsOf } from "@landline/protocol";
import { fileLogs } from "../../src/log/file-logs.ts";

/**
 * Appends as fast as it can and prints the head to stdout after each append, until crash.long.test.ts kills it.
 */
const [folder = "", sessionId = "", durability = "process"] = process.argv.slice(2);
const logs = fileLogs(folder, {
  durability: durability === "disk" ? "disk" : "process",
  limits: limitsOf("default", { segmentBytes: 200_000 }),
});
const log = await logs.open(sessionId).catch(() => logs.create(sessionId));

for (let round = 0; ; round++) {
  const batch = Array.from({ length: 1 + (round % 40) }, (_, index) => ({
    kind: "update" as const,
    raw: JSON.stringify({ round, index, text: "ünïcode ".repeat(index) }),
  }));
  const { last } = log.append(batch);
  if (durability === "disk") await log.whenDurable(last);
  writeSync(1, `${last}\n`);
  if (round % 50 === 0) await new Promise(setImmediate);
}
