import * as fc from "fast-check";
import { fold, emptyView, type SessionEvent } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { foldWithSnapshots, initialFoldState, type FoldState } from "./fold-with-snapshots.ts";
import {
  anyEvents,
  numbered,
  opened,
  prompt,
  says,
  toolCall,
  turn,
  turnEnd,
} from "../../test/index/sample-events.ts";
import type { Snapshot } from "./snapshot-table.ts";

const limits = { snapshotEvents: 8, snapshotItems: 3 };

function foldInRuns(events: readonly SessionEvent[], length: number, stored: boolean) {
  let foldState: FoldState = initialFoldState;
  let latest: Snapshot | null = null;
  for (let from = 0; from < events.length; from += length) {
    const folded = foldWithSnapshots(foldState, events.slice(from, from + length), limits);
    latest = folded.snapshot ?? latest;
    foldState = folded.foldState;
    if (stored) foldState = JSON.parse(JSON.stringify(foldState)) as FoldState;
  }
  return { foldState, latest };
}

describe("snapshots", () => {
  it("are made at each multiple, and at the end of a turn after a quarter of them", () => {
    const seqs: number[] = [];
    let foldState: FoldState = initialFoldState;
    const bodies = [
      opened,
      turn(),
      turnEnd(),
      ...Array.from({ length: 20 }, () => says("x")),
      turnEnd(),
      turnEnd(),
    ];
    for (const event of numbered(bodies)) {
      const folded = foldWithSnapshots(foldState, [event], limits);
      foldState = folded.foldState;
      if (folded.snapshot) seqs.push(folded.snapshot.seq);
    }
    expect(seqs).toEqual([3, 8, 16, 24]);
  });

  it("keep the last items, and count the missing ones", () => {
    const bodies = Array.from({ length: 8 }, (_, index) => [
      prompt("x", `p${index}`),
      turn("t", `p${index}`),
      turnEnd("t"),
    ]);
    const { latest } = foldInRuns(numbered(bodies.flat()), 5, false);
    expect(latest?.view.items).toHaveLength(3);
    expect(latest?.view.trimmed?.items).toBeGreaterThan(0);
  });

  it("are the same however the events were split, and through the database", () => {
    fc.assert(
      fc.property(anyEvents, fc.integer({ min: 1, max: 20 }), (events, length) => {
        const whole = foldInRuns(events, 1_000, false);
        for (const stored of [false, true]) {
          const inRuns = foldInRuns(events, length, stored);
          expect(JSON.stringify(inRuns.latest)).toBe(JSON.stringify(whole.latest));
          expect(JSON.stringify(inRuns.foldState)).toBe(JSON.stringify(whole.foldState));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("extend messages that were growing when they were made", () => {
    const work = Array.from({ length: 40 }, (_, index) => [
      says(`${index} `, index % 2 === 0 ? "even" : "odd"),
      toolCall(`call-${index}`, { status: "completed" }),
      toolCall(`next-${index}`, { status: "completed" }),
    ]);
    const events = numbered([opened, prompt("x"), turn(), ...work.flat()]);
    const { view } = foldInRuns(events, 7, true).foldState;
    const messages = (items: readonly { readonly type: string }[]) =>
      items.filter(({ type }) => type === "message");
    expect(view.trimmed?.items).toBeGreaterThan(0);
    expect(messages(view.items)).toEqual(messages(fold(emptyView(), events).items));
  });

  it("are the view of the log if nothing was trimmed", () => {
    const events = numbered([
      opened,
      prompt("a"),
      turn(),
      says("b"),
      says("c"),
      turnEnd(),
      says("late"),
    ]);
    expect(foldInRuns(events, 2, true).foldState.view).toEqual(
      JSON.parse(JSON.stringify(fold(emptyView(), events))) as unknown,
    );
  });
});
