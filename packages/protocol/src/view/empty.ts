import type { SessionView, Thread } from "../view.ts";

export const emptyThread: Thread = {
  items: [],
  plan: [],
  plans: [],
  usage: null,
  trimmed: null,
};

export const idleTurn: SessionView["turn"] = {
  state: "idle",
  turnId: null,
  promptId: null,
  rung: null,
  first: null,
  startedAt: null,
  changedBy: null,
};

const empty: SessionView = {
  ...emptyThread,
  head: 0,
  session: {
    agent: "",
    cwd: "",
    roots: [],
    title: null,
    titleBy: null,
    firstPrompt: null,
    parent: null,
    openedBy: null,
    openedAt: null,
    closedBy: null,
    closedAt: null,
  },
  agent: {
    state: "none",
    starts: 0,
    agentSessionId: null,
    how: null,
    info: null,
    capabilities: null,
    exit: null,
    runs: [],
    noise: { count: 0, lines: [], reason: null },
  },
  turn: idleTurn,
  lastTurn: null,
  queue: [],
  openAsks: [],
  modes: null,
  configOptions: null,
  models: null,
  commands: [],
  subagents: [],
  terminals: [],
  files: { reads: 0, writes: 0, touched: [] },
  unknownCount: 0,
  activeAt: null,
};

/** An empty view for folding a part of a log, with the session and agent state of the whole log. */
export function viewBefore({
  session,
  agent,
}: Pick<SessionView, "session" | "agent">): SessionView {
  return {
    ...empty,
    session: { ...empty.session, agent: session.agent },
    agent: { ...empty.agent, runs: agent.runs },
  };
}

/** The view of a session without events. */
export function emptyView(): SessionView {
  return { ...empty };
}
