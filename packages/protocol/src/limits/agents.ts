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
      "An agent that was idle for this long is ended, if it can resume its session; the next prompt starts it again.",
  },
  agentsRunning: same(
    "count",
    32,
    "A further agent waits until another ends. Idle agents are ended first.",
  ),
  dialMs: same("milliseconds", 10 * SECOND, "The start fails with agent-start-failed."),
  redialMs: same(
    "milliseconds",
    1 * MINUTE,
    "An agent at an address whose connection was lost is dialled again, with growing waits, for this long; then the prompt fails with agent-start-failed.",
  ),
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
    "The gateway stops waiting for the agent's sign-in state and uses the result of its program.",
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
    "The oldest lines of a sign-in terminal are dropped; clients that attach later do not receive them.",
  ),
  signInOutputWindowMs: same(
    "milliseconds",
    100,
    "A sign-in terminal that wrote more than signInScreenLength in this window is read again after it.",
  ),
  signInInputBytes: same(
    "bytes",
    256 * 1_024,
    "Further input to a sign-in terminal is refused with rate-limited until its program reads.",
  ),
  signInInputRetryMs: same(
    "milliseconds",
    20,
    "Input that the program of a sign-in terminal could not accept is written again.",
  ),
  agentInputMs: same(
    "milliseconds",
    3 * SECOND,
    "An agent that still runs after its stdin was closed gets SIGTERM.",
  ),
  agentTermMs: same(
    "milliseconds",
    2 * SECOND,
    "An agent that still runs after SIGTERM gets SIGKILL.",
  ),
  agentKillMs: same(
    "milliseconds",
    2 * SECOND,
    "An agent that survives SIGKILL is abandoned and logged.",
  ),
  agentDrainMs: same(
    "milliseconds",
    1 * SECOND,
    "Unread output of an agent that has exited is discarded.",
  ),
  shutdownInputMs: same(
    "milliseconds",
    1_500,
    "At shutdown of the gateway, replaces agentInputMs, so that shutdown takes at most five seconds.",
  ),
  shutdownTermMs: same(
    "milliseconds",
    1 * SECOND,
    "At shutdown of the gateway, replaces agentTermMs.",
  ),
  sweepMs: same(
    "milliseconds",
    2 * SECOND,
    "Processes that an agent left behind and that do not end are abandoned and logged.",
  ),
  journalLines: same(
    "count",
    1_000,
    "The journal of agents is rewritten with the running agents only.",
  ),
  agentsLookMs: same(
    "milliseconds",
    30 * SECOND,
    "While a client watches the list of agents, the gateway searches for agents again.",
  ),
  traceBytes: same("bytes", 16 * 1_024 * 1_024, "The older half of a session's trace is dropped."),
  traceLineLength: same("characters", 8_192, "The rest of the line is omitted from the trace."),
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
  restartWindowMs: same("milliseconds", 5 * MINUTE, "Older exits of the agent do not count."),
  restartsMax: same(
    "count",
    5,
    "An agent that exited more often than this within the window is not restarted automatically.",
  ),
} as const satisfies Record<string, LimitRow>;

function same<Unit extends LimitRow["unit"]>(unit: Unit, bound: number, consequence: string) {
  return { unit, default: bound, spec: bound, consequence } as const;
}
