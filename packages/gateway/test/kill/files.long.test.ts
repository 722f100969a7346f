import { readdirSync } from "node:fs";
import * as fs from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { filesIn } from "./checks.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { Random, seedOfRun } from "./random.ts";
import { until } from "./until.ts";

const seconds = Number(process.env["LANDLINE_KILL_SECONDS"] ?? 30) / 3;
const names = ["a.txt", "b.txt", "deep/er/c.txt"];
const filler = "0123456789abcdef".repeat(16_384);

/** Each version of a file contains its number at both ends. */
const version = `{{turnId}} {{index}}\n${filler}\n{{turnId}} {{index}}`;
const writer = {
  turns: [
    {
      steps: [
        {
          together: names.map((name) => [
            {
              repeat: {
                times: 100_000,
                steps: [{ writeFile: { path: `{{cwd}}/${name}`, content: version } }],
              },
            },
          ]),
        },
      ],
    },
  ],
};

const isTemporary = (name: string) => name.endsWith(".tmp");

function checkVersion(text: string): void {
  const [first, middle, last, ...more] = text.split("\n");
  expect({ last, middle: middle === filler, more }).toEqual({
    last: first,
    middle: true,
    more: [],
  });
}

/** Returns as soon as there is one, or after a while without. */
function awaitTemporary(folder: string): void {
  const end = performance.now() + 500;
  while (!readdirSync(folder).some(isTemporary) && performance.now() < end);
}

test(
  "a gateway that is killed while it writes leaves complete files, and no others after a restart",
  async () => {
    const random = new Random(seedOfRun());
    await using gateway = await GatewayProcess.make({ writer }, { fileWritesPerMinute: 1_000_000 });
    await gateway.start();
    const sessionId = await gateway.openSession("writer");
    const end = performance.now() + seconds * 1_000;
    const counts = { kills: 0, temporaries: 0 };
    for (let round = 0; performance.now() < end || counts.temporaries === 0; round++) {
      const { head } = await gateway.json<{ head: number }>("GET", `/api/sessions/${sessionId}`);
      await gateway.json("POST", `/api/sessions/${sessionId}/prompts`, { content: "write" });
      await until("files are written", async () => {
        const lines = (await gateway.logLines(sessionId).catch(() => [])).slice(head);
        return lines.some((line) => line.includes('"kind":"file-written"'));
      });
      await delay(random.below(100));
      if (random.next() < 0.7) awaitTemporary(gateway.project);
      await gateway.end("SIGKILL");
      counts.kills++;
      const left = await filesIn(gateway.project);
      counts.temporaries += left.filter(isTemporary).length;
      if (random.next() < 0.25) {
        gateway.spawn();
        await delay(random.below(700));
        await gateway.end("SIGKILL");
      }
      await gateway.start();
      expect(await filesIn(gateway.project)).toEqual(left.filter((name) => !isTemporary(name)));
      expect(await filesIn(`${gateway.data}/writes`)).toEqual([]);
      for (const name of await filesIn(gateway.project))
        checkVersion(await fs.readFile(`${gateway.project}/${name}`, "utf8"));
    }
    process.stdout.write(`${JSON.stringify(counts)}\n`);
    expect(await filesIn(gateway.project)).toEqual(names);
    expect(await gateway.end("SIGTERM")).toBe(0);
    expect(gateway.complaints()).toEqual([]);
  },
  seconds * 1_000 + 240_000,
);
