import type { LimitRow } from "./row.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How agents are started, watched, started again and ended. */
export const agentRows = {
  agentIdleMs: {
    unit: "milliseconds",
    default: 30 * MINUTE,
    spec: null,
    consequence:
      "An agent that did nothing for so long is ended, if it can come back to its session; the next prompt starts it again.",
  },
  agentsRunning: same(
    "count",
    32,
    "A session whose agent is one more waits until another ends. Idle ones are ended first.",
  ),
  dialMs: same("milliseconds", 10 * SECOND, "The start fails with agent-start-failed."),
  signInMs: same(
    "milliseconds",
    10 * MINUTE,
    "A sign-in that the agent has not answered fails with timeout, and its agent is ended.",
  ),
  signInMethodsLength: same(
    "characters",
    64 * 1_024,
    "Sign-in methods of an agent beyond it are neither listed nor called, and keys that it names are not listed.",
  ),
  signInStatusMs: same(
    "milliseconds",
    10_000,
    "An agent that does not say whether it is signed in now is not waited for: what its program said counts.",
  ),
  signOutMs: same(
    "milliseconds",
    1 * MINUTE,
    "A sign-out that the agent has not answered fails with timeout.",
  ),
  signInQuestionMs: same(
    "milliseconds",
    5 * MINUTE,
    "A question of a sign-in that nobody has answered is answered with cancel.",
  ),
  signInQuestionLength: same(
    "characters",
    64 * 1_024,
    "A longer question of a sign-in is refused with invalid-params.",
  ),
  signInIdleMs: same(
    "milliseconds",
    5 * MINUTE,
    "A sign-in terminal in which nothing was typed or shown is ended; the sign-in fails with timeout.",
  ),
  signInScreenLength: same(
    "characters",
    256 * 1_024,
    "The oldest lines of a sign-in terminal are forgotten: who attaches later is not shown them.",
  ),
  signInOutputWindowMs: same(
    "milliseconds",
    100,
    "A sign-in terminal that wrote more than signInScreenLength within it is read on when it is over.",
  ),
  signInInputBytes: same(
    "bytes",
    256 * 1_024,
    "What is typed into a sign-in terminal whose program has not read that much is refused with rate-limited.",
  ),
  signInInputRetryMs: same(
    "milliseconds",
    20,
    "What the program in a sign-in terminal had no room for is offered to it again.",
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
