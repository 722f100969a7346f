import { mkdirSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { GatewayProcess } from "./gateway-process.ts";

const count = 10_000;
const limitMs = 5_000;

/** Sessions of an earlier gateway, which the database does not contain. */
function makeSessions({ data, project }: GatewayProcess): void {
  mkdirSync(data, { mode: 0o700 });
  mkdirSync(`${data}/sessions`, { mode: 0o700 });
  const opened = { kind: "session-opened", agent: "agent", cwd: project, roots: [project] };
  for (let number = 0; number < count; number += 1) {
    const session = `session-${number}`;
    const folder = `${data}/sessions/${session}`;
    const lines = [
      { format: "landline-log", version: 1, session, first: 1 },
      { seq: 1, at: 1, ...opened, title: null, parent: null, by: "tester" },
      { seq: 2, at: 2, kind: "session-renamed", title: "A title", by: "tester" },
    ];
    mkdirSync(folder, { mode: 0o700 });
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    writeFileSync(`${folder}/000000000001.ndjson`, text, { mode: 0o600 });
  }
}

test("a stop soon after a start is quick and clean with 10,000 sessions", async () => {
  await using gateway = await GatewayProcess.make({ agent: { turns: [{ steps: [] }] } });
  makeSessions(gateway);
  for (const waitMs of [0, 500]) {
    await gateway.start();
    await setTimeout(waitMs);
    const toldAt = performance.now();
    const code = await gateway.end("SIGTERM");
    expect(performance.now() - toldAt).toBeLessThan(limitMs);
    expect({ code, complaints: gateway.complaints() }).toEqual({ code: 0, complaints: [] });
  }
});
