import { standardizePrompt } from "ai/internal";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endInterruptedTurns } from "../../src/core/interrupted-turns.ts";
import { toModelMessages } from "../../src/core/messages.ts";
import type { SessionRecord } from "../../src/core/record.ts";
import { applyRecord, foldRecords, type SessionState } from "../../src/core/state.ts";
import { faultsOf, histories } from "./random-histories.ts";
import { info } from "./session-fixture.ts";

const models = [
  info,
  {
    ...info,
    id: "other/model",
    provider: "other",
    takes: { image: true, audio: true, document: true },
  },
  { ...info, id: "mistral/model", provider: "mistral" },
];

function folded(records: Iterable<SessionRecord>): SessionState {
  const state = foldRecords(records);
  if (!state) throw new Error("no session");
  return state;
}

describe("records of any session", () => {
  test("give every model a valid history", async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.constantFrom(...models), async (records, model) => {
        const messages = toModelMessages(folded(records), model);
        expect(faultsOf(messages)).toEqual([]);
        if (messages.length > 0)
          await standardizePrompt({ messages, allowSystemInMessages: false });
      }),
    );
  });

  test("give the same history wherever they are cut", () => {
    fc.assert(
      fc.property(histories, fc.nat(), (records, place) => {
        const cut = 1 + (place % records.length);
        const state = folded(records.slice(0, cut));
        for (const record of records.slice(cut)) applyRecord(state, record);
        expect(state).toEqual(folded(records));
      }),
    );
  });

  test("are complete again after a kill, once running calls are ended", () => {
    fc.assert(
      fc.property(histories, fc.nat(), (records, place) => {
        const kept = records.slice(0, 1 + (place % records.length));
        const state = folded(kept);
        const settled = endInterruptedTurns(state);
        expect(folded([...kept, ...settled])).toEqual(state);
        const steps = state.turns.flatMap((turn) => turn.steps);
        expect(state.turns.filter((turn) => turn.ended === null)).toEqual([]);
        expect(steps.filter((step) => step.ended === null)).toEqual([]);
        expect([...state.calls.values()].filter((call) => call.result === null)).toEqual([]);
        for (const model of models) expect(faultsOf(toModelMessages(state, model))).toEqual([]);
        expect(endInterruptedTurns(state)).toEqual([]);
      }),
    );
  });

  test("change nothing if they do not match", () => {
    const stray: SessionRecord[] = [
      { kind: "step-started", at: 0, stepId: "s", promptId: "none", modelId: "m" },
      { kind: "text-added", at: 0, stepId: "none", partId: "p", text: "x" },
      { kind: "step-ended", at: 0, stepId: "none", finish: "stop" },
      { kind: "turn-ended", at: 0, promptId: "none", stopReason: "end_turn" },
      { kind: "files-restored", at: 0, direction: "undo", promptId: "none", paths: [] },
    ];
    fc.assert(
      fc.property(histories, fc.constantFrom(...stray), (records, record) => {
        const state = folded(records);
        applyRecord(state, record);
        expect(state).toEqual(folded(records));
      }),
    );
  });
});
