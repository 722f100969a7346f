import { emptyView, fold } from "@landline/protocol";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventually, hurry, until } from "./short-timing.ts";
import { FaultyGateway } from "./faulty-gateway.ts";
import type { Mischief } from "./faulty-peer.ts";

const mischief = fc.constantFrom<Mischief>(
  "none",
  "none",
  "delay",
  "repeat",
  "swap",
  "drop-before",
  "drop-after",
  "cut",
  "silence",
  "refuse",
);

const plans = fc.record({
  mischief: fc.array(mischief, { maxLength: 60, size: "max" }),
  prompts: fc.integer({ min: 1, max: 5 }),
  events: fc.integer({ min: 0, max: 40 }),
  snapshotAfter: fc.constantFrom(Number.POSITIVE_INFINITY, 20),
});

async function livesThrough(
  plan: typeof plans extends fc.Arbitrary<infer Plan> ? Plan : never,
  transport: "websocket" | "sse",
): Promise<{ readonly shown: unknown; readonly wanted: unknown }> {
  await using gateway = await FaultyGateway.listen(plan.mischief);
  gateway.snapshotAfter = plan.snapshotAfter;
  const session = gateway.open("s");
  for (let turn = 0; turn < plan.events / 10; turn++) session.playTurn(`old ${turn}`);
  using landline = hurry(
    { url: gateway.url, transport, commandMs: 1_000 },
    { quickCommandMs: 150 },
  );
  const attached = landline.session("s");
  const unsubscribe = attached.subscribe(() => {});
  const heard: number[] = [];
  attached.onEvents((events) => heard.push(...events.map(({ seq }) => seq)));
  const wanted = Array.from({ length: plan.prompts }, (_, number) => `p${number}`);
  const prompted = wanted.map((promptId) => attached.prompt("hello", promptId));
  const answer = { outcome: "selected", optionId: "yes" } as const;
  const acts = [attached.answer("a", answer), attached.rename("Title"), attached.cancel()];
  const others = Promise.allSettled(acts);

  await Promise.all(prompted);
  const reasons = (await others).map((end) =>
    end.status === "fulfilled" ? null : end.reason.code,
  );
  for (const code of reasons) expect([null, "timeout", "connection-lost"]).toContain(code);
  expect([undefined, answer]).toContainEqual(session.answers.get("a"));
  expect(reasons[0] === null && !session.answers.has("a")).toBe(false);
  await eventually(
    () => session.log.filter(({ kind }) => kind === "turn-ended").length >= plan.prompts,
  );
  const isWhole = () => attached.getSnapshot().view?.head === session.log.length;
  await until(
    attached,
    ({ state, outgoing }) => isWhole() && state === "live" && outgoing.length === 0,
  );

  unsubscribe();
  const inOrder = [...new Set(heard)].toSorted((some, other) => some - other);
  return {
    shown: { view: attached.getSnapshot().view, prompts: session.prompts, heard },
    wanted: { view: fold(emptyView(), session.log), prompts: wanted, heard: inOrder },
  };
}

describe("whatever happens to the connection", () => {
  it("the view is that of the log, each prompt arrives once and in order, and every command settles", async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const { shown, wanted } = await livesThrough(plan, "websocket");
        expect(shown).toEqual(wanted);
      }),
      { numRuns: 40 },
    );
  });

  it("the same with server-sent events", async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const { shown, wanted } = await livesThrough(plan, "sse");
        expect(shown).toEqual(wanted);
      }),
      { numRuns: 25 },
    );
  });
});
