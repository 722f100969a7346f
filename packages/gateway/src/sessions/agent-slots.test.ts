import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { AgentSlots, type SlotHolder } from "./agent-slots.ts";

/** A session that may need an agent, have one, and be idle with it. */
class Holder implements SlotHolder {
  readonly canComeBack: boolean;
  readonly #slots: AgentSlots;
  idleSince: number | null = null;
  hasWaited = false;
  slot: Disposable | null = null;
  #need: AbortController | null = null;

  constructor(slots: AgentSlots, canComeBack = true) {
    this.#slots = slots;
    this.canComeBack = canComeBack;
  }

  waits(): void {
    this.hasWaited = true;
  }

  endIdle(): void {
    this.end();
  }

  get isWaiting(): boolean {
    return this.#need !== null;
  }

  /** Resolves when it has a slot, or has given up. */
  async need(): Promise<void> {
    if (this.slot || this.#need) return;
    this.#need = new AbortController();
    try {
      this.slot = await this.#slots.take(this, this.#need.signal);
    } catch (error) {
      if (error !== notNeeded) throw error;
    } finally {
      this.#need = null;
    }
  }

  giveUp(): void {
    this.#need?.abort(notNeeded);
  }

  rest(at: number): void {
    if (!this.slot) return;
    this.idleSince = at;
    this.#slots.makeRoom();
  }

  end(): void {
    this.idleSince = null;
    this.slot?.[Symbol.dispose]();
    this.slot = null;
  }
}

const notNeeded = new Error("not needed any more");
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Most steps ask for an agent, so that several sessions wait. The default size would give ten steps at most. */
const actions = fc.constantFrom("need", "need", "need", "rest", "end", "giveUp");
const anySteps = fc.array(fc.tuple(actions, fc.integer({ min: 0, max: 5 })), {
  maxLength: 60,
  size: "max",
});

test.prop([fc.integer({ min: 1, max: 3 }), anySteps])(
  "the limit holds, waiters are served in order, and an idle agent never blocks others",
  async (limit, steps) => {
    const slots = new AgentSlots(limit);
    const holders = Array.from({ length: 6 }, () => new Holder(slots));
    let waiting: Holder[] = [];
    for (const [at, [what, which]] of steps.entries()) {
      const holder = holders[which]!;
      if (what === "need") {
        if (!holder.slot && !holder.isWaiting) waiting.push(holder);
        void holder.need();
      } else if (what === "rest") holder.rest(at);
      else if (what === "giveUp") holder.giveUp();
      else holder.end();
      await settled();
      const running = holders.filter(({ slot }) => slot);
      expect(running.length).toBeLessThanOrEqual(limit);
      // Those that were served are the first of those that wait.
      const remaining = waiting.filter(({ slot, isWaiting }) => slot || isWaiting);
      const left = remaining.filter(({ isWaiting }) => isWaiting);
      const inOrder = [...remaining.filter(({ slot }) => slot), ...left];
      expect(inOrder.every((one, index) => one === remaining[index])).toBe(true);
      waiting = left;
      if (left.length === 0) continue;
      expect(running).toHaveLength(limit);
      expect(running.every(({ idleSince }) => idleSince === null)).toBe(true);
    }
  },
);

test("the agent that was idle longest is ended first, and one that can't be restored last", async () => {
  const slots = new AgentSlots(3);
  const lost = new Holder(slots, false);
  const [early, late] = [new Holder(slots), new Holder(slots)];
  for (const holder of [lost, early, late]) await holder.need();
  lost.rest(1);
  late.rest(3);
  early.rest(2);
  const left: boolean[][] = [];
  for (let count = 0; count < 3; count++) {
    const next = new Holder(slots);
    await next.need();
    expect(next.hasWaited).toBe(false);
    left.push([early, late, lost].map(({ slot }) => slot === null));
  }
  expect(left).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ]);
});

test("a holder that refuses to wait leaves the queue", async () => {
  const slots = new AgentSlots(1);
  const { signal } = new AbortController();
  const busy = new Holder(slots);
  await busy.need();
  const refusing = Object.assign(new Holder(slots), {
    waits: () => {
      throw new Error("no waiting");
    },
  });
  await expect(slots.take(refusing, signal)).rejects.toThrow("no waiting");
  const next = slots.take(new Holder(slots), signal);
  busy.end();
  using _slot = await next;
});
