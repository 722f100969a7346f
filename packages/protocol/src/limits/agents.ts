import type { LimitRow } from "./row.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How agents are started, watched, started again and ended. */
export const agentRows = {
  dialMs: same("milliseconds", 10 * SECOND, "The start fails with agent-start-failed."),
  signInMs: same(
    "milliseconds",
    10 * MINUTE,
    "A sign-in that the agent has not answered fails with timeout, and its agent is ended.",
  ),
  signInMethodsLength: same(
    "characters",
    64 * 1_024,
    "Sign-in methods of an agent beyond it are neither listed nor called.",
  ),
  agentInputMs: same(
    "milliseconds",
    3 * SECOND,
    "An agent that is still there after the close of its stdin gets SIGTERM.",
  ),
  agentTermMs: same(
    "milliseconds",
    2 * SECOND,
    "An agent that is still there after SIGTERM gets SIGKILL.",
  ),
  agentKillMs: same(
    "milliseconds",
    2 * SECOND,
    "An agent that the system does not end is given up and logged.",
  ),
  agentDrainMs: same(
    "milliseconds",
    1 * SECOND,
    "What the pipes of an agent that is gone still hold is given up.",
  ),
  shutdownInputMs: same(
    "milliseconds",
    1_500,
    "When the gateway ends: as agentInputMs, so that all is over within five seconds.",
  ),
  shutdownTermMs: same("milliseconds", 1 * SECOND, "When the gateway ends: as agentTermMs."),
  sweepMs: same(
    "milliseconds",
    2 * SECOND,
    "Processes that an agent left and that do not end are given up and logged.",
  ),
  journalLines: same(
    "count",
    1_000,
    "The journal of agents is written anew, with those that run and no others.",
  ),
  agentsLookMs: same(
    "milliseconds",
    30 * SECOND,
    "While somebody watches the list of agents, they are looked for again.",
  ),
  traceBytes: same(
    "bytes",
    16 * 1_024 * 1_024,
    "The older half of what a session's trace holds is forgotten.",
  ),
  traceLineLength: same("characters", 8_192, "The rest of the line is left out of the trace."),
  restartDelayMs: same(
    "milliseconds",
    1 * SECOND,
    "An agent that ended twice in a row is started again after it; the wait doubles each time.",
  ),
  restartDelayMsMax: same(
    "milliseconds",
    30 * SECOND,
    "The wait before an agent is started again grows no further.",
  ),
  restartWindowMs: same(
    "milliseconds",
    5 * MINUTE,
    "Ends of the agent that are longer ago are forgotten.",
  ),
  restartsMax: same(
    "count",
    5,
    "An agent that ended more often than that within the window is not started again by itself.",
  ),
} as const satisfies Record<string, LimitRow>;

function same<Unit extends LimitRow["unit"]>(unit: Unit, bound: number, consequence: string) {
  return { unit, default: bound, spec: bound, consequence } as const;
}
