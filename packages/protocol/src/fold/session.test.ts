import { describe, expect, it } from "vitest";
import { logOf, opened, update } from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { emptyView } from "../view/empty.ts";

const session = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies)).session;
const agentTitle = (title: unknown) => update("session_info_update", { title });
const rename = (title: string | null): EventBody => ({
  kind: "session-changed",
  title,
  by: "laptop",
});

describe("the session", () => {
  it("has the fields of its opening", () => {
    expect(session(opened("Mine"))).toEqual({
      agent: "scripted",
      cwd: "/repo",
      roots: ["/repo"],
      title: "Mine",
      titleBy: "person",
      parent: null,
      openedBy: "laptop",
      openedAt: 1_000,
      closedBy: null,
      closedAt: null,
      firstPrompt: null,
    });
  });

  it("that is a fork has the agent's copy before the agent was started", () => {
    const fork = { ...opened("Mine"), agentSessionId: "copy" } as EventBody;
    const { agent } = fold(emptyView(), logOf(fork));
    expect(agent).toMatchObject({ agentSessionId: "copy", state: "none", starts: 0 });
  });

  it("changes by name", () => {
    expect(
      session(opened(), { kind: "session-changed", cwd: "/other", roots: ["/other"] }),
    ).toMatchObject({ cwd: "/other", roots: ["/other"], title: null });
  });

  it("has the agent's title until a person sets one", () => {
    expect(session(opened(), agentTitle("Theirs")).title).toBe("Theirs");
    expect(session(opened(), agentTitle("Theirs"), agentTitle(null)).title).toBeNull();
    expect(session(opened("Mine"), agentTitle("Theirs")).title).toBe("Mine");
    expect(session(opened(), rename("Mine"), agentTitle("Theirs")).title).toBe("Mine");
    expect(session(opened(), rename(null), agentTitle("Theirs")).title).toBe("Theirs");
    expect(session(opened(), agentTitle("Theirs"), agentTitle(5)).title).toBe("Theirs");
  });

  it("can be closed and reopened", () => {
    const closed: EventBody = { kind: "session-closed", by: "phone" };
    expect(session(opened(), closed).closedBy).toBe("phone");
    expect(session(opened(), closed, opened()).closedBy).toBeNull();
  });
});
