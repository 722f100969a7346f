import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyRule } from "./corpus/any-rule.ts";
import type { AskOutcome } from "../../src/acp-client/permissions/request-outcome.ts";
import { openRules } from "../../src/acp-client/permissions/rules.ts";
import { codeOf, page, permission, selected, usePermissions } from "./use-permissions.ts";

const at = usePermissions();
const { desk } = at;

/** Everything that can happen to a request, in any order and at any time. */
const step = fc.oneof(
  fc.record({
    do: fc.constant("answer" as const),
    ask: fc.nat(3),
    option: fc.constantFrom("yes", "no", "x"),
  }),
  fc.record({ do: fc.constant("abort" as const), ask: fc.nat(3) }),
  fc.record({ do: fc.constant("settle-all" as const) }),
  fc.record({ do: fc.constant("complete" as const) }),
  fc.record({ do: fc.constant("wait" as const) }),
  fc.record({ do: fc.constant("refuse" as const), refuses: fc.boolean() }),
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const expectedCodes = ["ask-already-settled", "option-not-offered", "invalid-params", "disk-full"];

describe("under any interleaving", () => {
  it("a request is settled exactly once, and its agent receives the logged outcome", async () => {
    const allowed = await openRules(join(at.folder, "allowed.json"));
    await allowed.add(anyRule({ what: { commandPrefix: "npm test" } }));
    const kinds = fc.array(fc.constantFrom("ruled", "asked", "page"), {
      minLength: 4,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(kinds, fc.array(step, { maxLength: 12 }), async (asked, steps) => {
        const { asks, events, log } = desk({ rules: allowed });
        const aborts = asked.map(() => new AbortController());
        const answers = asked.map((kind, index) => {
          const { signal } = aborts[index]!;
          if (kind === "page") return asks.question(page, undefined, signal);
          const rawInput = { command: kind === "ruled" ? "npm test" : "rm x" };
          const toolCall = { toolCallId: `${index}`, kind: "execute", rawInput } as const;
          return asks.permission(permission({ toolCall }), undefined, signal);
        });
        const ids = asks.open.map(({ askId }) => askId);
        const take = (each: Step) => {
          if (each.do === "answer") asks.answer(ids[each.ask]!, selected(each.option), "c");
          if (each.do === "abort") aborts[each.ask]!.abort();
          if (each.do === "settle-all") asks.settleAll("turn-cancelled");
          if (each.do === "complete") asks.complete("e-1");
          if (each.do === "refuse") log.refuses = each.refuses;
        };
        for (const each of steps) {
          const code = codeOf(() => take(each));
          expect([undefined, ...expectedCodes]).toContain(code);
          if (each.do === "wait") await nextRound();
        }
        const wasRefusing = steps.some((each) => each.do === "refuse" && each.refuses);
        log.refuses = false;
        asks.settleAll("turn-ended");
        const given = await Promise.all(answers);
        expect(asks.open).toEqual([]);
        for (const [index, askId] of ids.entries()) {
          const settled = events.filter(
            (event) => event.kind === "ask-settled" && event.askId === askId,
          );
          expect(settled.length).toBeLessThanOrEqual(1);
          if (wasRefusing) continue;
          const { outcome } = settled[0] as { outcome: AskOutcome };
          const forAgent = { ...outcome, _meta: undefined };
          expect(given[index]).toEqual("outcome" in outcome ? { outcome: forAgent } : forAgent);
          expect(() => asks.answer(askId, selected("yes"), "late")).toThrow(
            expect.objectContaining({ code: "ask-already-settled" }),
          );
        }
      }),
      { numRuns: 200 },
    );
  });
});
