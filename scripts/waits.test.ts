import * as fs from "node:fs/promises";
import * as path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");

/** A wait for time to pass, instead of for an event. */
const waits = [
  /import \{[^}]*\bsetTimeout\b[^}]*\} from "node:timers\/promises"/,
  /new Promise\b[^;]*?\bsetTimeout\(/s,
];

/** Exceptions, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  "packages/client/test/wait-for-render.ts": "lets React draw what comes meanwhile",
  "packages/gateway/test/kill/client.ts": "clients act and retry at random moments",
  "packages/gateway/test/kill/files.long.test.ts": "the gateway is killed at random moments",
  "packages/gateway/test/kill/follower.ts": "a client that was cut off connects again",
  "packages/gateway/test/kill/kill.long.test.ts": "the gateway is killed at random moments",
  "packages/gateway/test/kill/many-clients.long.test.ts": "clients come and go at random moments",
  "packages/gateway/test/kill/many-sessions.long.test.ts":
    "the gateway is stopped at given moments",
  "packages/gateway/test/kill/until.ts": "polls another process, which has no events",
  "packages/gateway/test/real-agents/acpx-client.ts": "polls the processes of an agent",
  "packages/web/test/page-actions.ts": "polls a page, which has no events",
};

async function testFiles(): Promise<string[]> {
  const patterns = [
    "packages/*/test/**/*.{ts,tsx}",
    "packages/*/src/**/*.test.{ts,tsx}",
    "scripts/*.test.ts",
  ];
  const files: string[] = [];
  for (const pattern of patterns)
    for await (const file of fs.glob(pattern, { cwd: root })) files.push(file);
  return files.filter((file) => !file.includes("node_modules") && file !== "scripts/waits.test.ts");
}

test("tests wait for events, not for time to pass", async () => {
  const waiting: string[] = [];
  for (const file of await testFiles()) {
    const text = await fs.readFile(path.join(root, file), "utf8");
    if (waits.some((wait) => wait.test(text))) waiting.push(file);
  }
  expect(waiting.toSorted()).toEqual(Object.keys(exceptions).toSorted());
});
