import { describe, expect, it } from "vitest";
import { logOf, opened, started } from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { emptyView } from "../view/empty.ts";

const viewOf = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies));
const gone = { kind: "agent-exited", code: 3, signal: null, stderr: "out of memory" } as const;

describe("the agent", () => {
  it("is absent, running, exited", () => {
    expect(viewOf(opened()).agent.state).toBe("none");
    expect(viewOf(opened(), started()).agent).toMatchObject({
      state: "running",
      starts: 1,
      agentSessionId: "agent-1",
      how: "new",
    });
    expect(viewOf(opened(), started(), gone).agent).toMatchObject({
      state: "exited",
      exit: { at: 3_000, code: 3, signal: null, stderr: "out of memory" },
    });
  });

  it("is shown in the thread when it exits and when it restarts", () => {
    const view = viewOf(opened(), started(), gone, started("transcript"));
    expect(view.items).toMatchObject([
      { type: "agent-exited", code: 3, stderr: "out of memory" },
      { type: "agent-started", how: "transcript" },
    ]);
    expect(view.agent).toMatchObject({ state: "running", starts: 2 });
  });

  it("noise is counted and kept in part", () => {
    const noise = (count: number): EventBody => ({
      kind: "agent-noise",
      lines: Array.from({ length: 15 }, (_, index) => `${count}: ${index}`),
      count,
      reason: "not JSON",
    });
    const { agent, items } = viewOf(started(), noise(15), noise(400));
    expect(agent.noise.count).toBe(415);
    expect(agent.noise.lines).toHaveLength(20);
    expect(agent.noise.lines.at(-1)).toBe("400: 14");
    expect(items).toEqual([]);
  });
});
