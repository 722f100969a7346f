import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import {
  firstState,
  isDormant,
  isOver,
  isQuiet,
  isWorking,
  mayBegin,
  nextState,
  transitions,
  StateMachine,
  type SessionState,
  type StateEvent,
} from "./session-state.ts";

const stateEvents = Object.values(transitions).flatMap((table) =>
  Object.keys(table),
) as StateEvent[];
const schedules = fc.array(fc.constantFrom(...stateEvents), { maxLength: 80 });

/** Every state on the way; what can't happen changes nothing. */
function states(schedule: typeof stateEvents): SessionState[] {
  const passed = [firstState];
  for (const event of schedule) passed.push(nextState(passed.at(-1)!, event) ?? passed.at(-1)!);
  return passed;
}

describe("whatever happens to a session", () => {
  test.prop([schedules])("no turn begins that may not", (schedule) => {
    for (const state of states(schedule)) {
      const begun = nextState(state, "turn-begun");
      expect(begun !== null).toBe(mayBegin(state));
      if (isOver(state) || state.access === "paused") expect(begun).toBeNull();
    }
  });

  test.prop([schedules])("one that was stopped stays so", (schedule) => {
    const passed = states(schedule);
    const stopped = passed.findIndex(({ access }) => access === "stopped");
    if (stopped === -1) return;
    expect(passed.slice(stopped).every(({ access }) => access === "stopped")).toBe(true);
  });

  test.prop([schedules])("its agent goes through its phases one at a time", (schedule) => {
    const allowed: Record<SessionState["agent"], readonly SessionState["agent"][]> = {
      absent: ["waiting"],
      waiting: ["starting", "absent", "ending"],
      starting: ["opening", "absent"],
      opening: ["replaying", "ready", "absent"],
      replaying: ["opening", "resumed", "absent"],
      resumed: ["ready", "ending"],
      ready: ["ending"],
      ending: ["absent", "waiting"],
    };
    const phases = states(schedule).map(({ agent }) => agent);
    for (const [index, phase] of phases.slice(1).entries()) {
      const before = phases[index]!;
      if (phase !== before) expect(allowed[before]).toContain(phase);
    }
  });

  test.prop([schedules])("it can always be ended and its agent gone", (schedule) => {
    const ways = ["turn-over", "agent-failed", "agent-leaving", "agent-left", "stop"] as const;
    let state = states(schedule).at(-1)!;
    for (const event of ways) state = nextState(state, event) ?? state;
    expect(isDormant(state)).toBe(true);
    expect(isOver(state)).toBe(true);
  });

  test.prop([schedules])("it is never quiet and working, or dormant and quiet", (schedule) => {
    for (const state of states(schedule)) {
      expect(isQuiet(state) && (isWorking(state) || isDormant(state))).toBe(false);
    }
  });
});

test("what can't happen is a defect, and says so", () => {
  const machine = new StateMachine();
  expect(() => machine.apply("agent-started")).toThrow(
    "agent-started can't happen to a session that is open, absent, none.",
  );
  expect(machine.now).toEqual(firstState);
});
