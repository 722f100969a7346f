import * as fs from "node:fs/promises";
import * as path from "node:path";
import { limitsOf, type LimitName } from "@landline/protocol";
import { afterEach, expect, test, vi } from "vitest";
import { text, turn } from "../sessions/scripted-gateway.ts";
import { inGateway, opened } from "../sessions/marked-gateway.ts";
import { ask, openByHttp } from "./http.ts";

/** Seed 003's table of rates, per minute and session. */
const rates: readonly (readonly [string, LimitName, number])[] = [
  ["session/prompt", "promptsPerMinute", 10],
  ["fs/read_text_file", "fileReadsPerMinute", 100],
  ["fs/write_text_file", "fileWritesPerMinute", 50],
  ["session/update", "updatesPerMinute", 1_000],
];

test.each(rates)("%s: %s is the seed's", (_method, name, perMinute) => {
  expect(limitsOf("spec")[name]).toBe(perMinute);
});

afterEach(() => {
  vi.useRealTimers();
});

/** From here on the test advances the clock by minutes; processes and pipes run normally. */
const stopTheClock = () =>
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });

test("session/prompt: the eleventh within a minute is refused with a retry time", async () => {
  await inGateway(
    { agent: { turns: [{ steps: [], end: "never" }] } },
    async (gateway) => {
      const [one, other] = [await openByHttp(gateway), await openByHttp(gateway)];
      const post = (id: string) =>
        ask(gateway, "POST", `/sessions/${id}/prompts`, { content: "hello" });
      for (let count = 0; count < 10; count++) expect((await post(one)).status).toBe(202);
      const refused = await post(one);
      expect(refused).toMatchObject({ status: 429, json: { code: "rate-limited" } });
      const { retryAfterMs } = refused.json;
      expect(retryAfterMs).toBeGreaterThan(0);
      expect(retryAfterMs).toBeLessThanOrEqual(60_000);
      expect(refused.retryAfter).toBe(String(Math.ceil(Number(retryAfterMs) / 1_000)));
      // The count is per session.
      expect((await post(other)).status).toBe(202);
    },
    { profile: "spec" },
  );
});

test.each([
  [
    "fs/read_text_file",
    "file-read",
    { fileReadsPerMinute: 3 },
    { readFile: { path: "{{cwd}}/a.txt" } },
  ],
  [
    "fs/write_text_file",
    "file-written",
    { fileWritesPerMinute: 3 },
    { writeFile: { path: "{{cwd}}/b.txt", content: "new" } },
  ],
] as const)(
  "%s: requests above the rate are delayed, and neither refused nor dropped",
  async (_method, kind, limits, step) => {
    const steps = [{ together: [[step], [step], [step], [step]] }, { say: "all four" }];
    await inGateway(
      { agent: { turns: [{ steps }] } },
      async (gateway) => {
        await fs.writeFile(path.join(gateway.project, "a.txt"), "inside");
        const { session, watcher } = await opened(gateway);
        const done = () => watcher.kinds.filter((one) => one === kind).length;
        stopTheClock();
        const ended = turn(session, watcher, "go");
        await watcher.until(kind, () => done() === 3);
        await vi.advanceTimersByTimeAsync(59_000);
        expect(done()).toBe(3);
        expect(watcher.said).toBe("");
        await vi.advanceTimersByTimeAsync(1_500);
        expect(await ended).toMatchObject({ stopReason: "end_turn" });
        expect(done()).toBe(4);
        expect(watcher.said).toBe("all four");
        vi.useRealTimers();
      },
      { profile: "spec", limits },
    );
  },
);

const count = 3_000;

test("session/update: updates above the rate are delayed by not reading, and all arrive", async () => {
  const agents = {
    agent: { turns: [{ steps: [{ flood: { count, bytes: 400 } }] }] },
    other: { turns: [{ steps: [{ say: "here" }] }] },
  };
  await inGateway(
    agents,
    async (gateway) => {
      const { session, watcher } = await opened(gateway);
      const other = await opened(gateway, "other");
      const updates = () => watcher.kinds.filter((kind) => kind === "update").length;
      stopTheClock();
      await session.prompt("p", text("go"), "tester");
      let minutes = 0;
      for (; !watcher.kinds.includes("turn-ended") && minutes < 10; minutes++) {
        await watcher.until("update", () => updates() >= Math.min(count, 1_000 * (minutes + 1)));
        // Another session is not delayed; after its turn, this one has read its budget.
        await turn(other.session, other.watcher, "are you there?");
        // The updates of one read of the pipe are not split.
        expect(updates()).toBeLessThan(1_000 * (minutes + 1) + 140);
        await vi.advanceTimersByTimeAsync(60_000);
      }
      await watcher.until("turn-ended");
      expect(minutes).toBeGreaterThanOrEqual(2);
      expect(updates()).toBe(count);
      const numbers = watcher.events.flatMap((event) =>
        event.kind === "update"
          ? [Number.parseInt(JSON.stringify(event.update).replace(/^.*?"text":"/, ""))]
          : [],
      );
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      vi.useRealTimers();
    },
    { profile: "spec", limits: { promptMs: null } },
  );
});

test("session/update: the last updates of an agent before its exit are not lost", async () => {
  // One at a time, so that most of them are still in the pipe when reading pauses.
  const steps = [
    { repeat: { times: 20, steps: [{ say: "{{index}} " }, { wait: 20 }] } },
    { crash: 3 },
  ];
  await inGateway(
    { agent: { turns: [{ steps }] } },
    async (gateway) => {
      const { session, watcher } = await opened(gateway);
      const ended = await turn(session, watcher, "go");
      expect(ended).toMatchObject({ stopReason: "failed", error: { code: "agent-exited" } });
      expect(watcher.kinds.filter((kind) => kind === "update")).toHaveLength(20);
    },
    { profile: "spec", limits: { updatesPerMinute: 5 } },
  );
});
