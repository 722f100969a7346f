import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import {
  commandEvents,
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

const stateEvents = [...Object.values(transitions), commandEvents].flatMap((table) =>
  Object.keys(table),
) as StateEvent[];
const schedules = fc.array(fc.constantFrom(...stateEvents), { maxLength: 80 });

/** Every state on the way. Impossible events change nothing. */
function states(schedule: typeof stateEvents): SessionState[] {
  const passed = [firstState];
  for (const event of schedule) passed.push(nextState(passed.at(-1)!, event) ?? passed.at(-1)!);
  return passed;
}

describe("after any schedule of events", () => {
  test.prop([schedules])("a turn begins only where it may", (schedule) => {
    for (const state of states(schedule)) {
      const begun = nextState(state, "turn-begun");
      expect(begun !== null).toBe(mayBegin(state) && state.log === "complete");
      if (isOver(state) || state.access === "paused" || state.queue === "paused")
        expect(begun).toBeNull();
    }
  });

  test.prop([schedules])(
    "an interrupted log gets its ends before a turn or an agent",
    (schedule) => {
      const passed = states(["log-interrupted", ...schedule]);
      const completed = passed.findIndex(({ log }, at) => at > 0 && log === "complete");
      const before = completed === -1 ? passed.slice(1) : passed.slice(1, completed);
      for (const state of before) expect(isDormant(state)).toBe(true);
    },
  );

  test.prop([schedules])("a paused queue stays paused until it is resumed", (schedule) => {
    let isPaused = false;
    let state = firstState;
    for (const event of schedule) {
      state = nextState(state, event) ?? state;
      if (event === "queue-paused") isPaused = true;
      if (event === "queue-resumed") isPaused = false;
      expect(state.queue).toBe(isPaused ? "paused" : "running");
    }
  });

  test.prop([schedules])("an agent with a turn or a command is not quiet", (schedule) => {
    for (const state of states(schedule)) {
      expect(state.commands).toBeGreaterThanOrEqual(0);
      if (state.commands > 0 || state.turn === "running") expect(isQuiet(state)).toBe(false);
    }
  });

  test.prop([schedules])("a stopped session stays stopped", (schedule) => {
    const passed = states(schedule);
    const stopped = passed.findIndex(({ access }) => access === "stopped");
    if (stopped === -1) return;
    expect(passed.slice(stopped).every(({ access }) => access === "stopped")).toBe(true);
  });

  test.prop([schedules])("the agent goes through its phases one at a time", (schedule) => {
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

  test.prop([schedules])("it can be stopped and its agent ended", (schedule) => {
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

test("an impossible event throws and changes nothing", () => {
  const machine = new StateMachine();
  expect(() => machine.apply("agent-started")).toThrow(
    'A session cannot take agent-started in the state {"access":"open","agent":"absent"',
  );
  expect(machine.now).toEqual(firstState);
});
