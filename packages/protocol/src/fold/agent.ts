import { viewRows } from "../limits/view.ts";
import type { AgentExited, AgentNoise, AgentStarted, AgentWaiting } from "../events.ts";
import { runAt, runOf, type AgentRun } from "../execution.ts";
import { textOf } from "./content.ts";
import type { Draft } from "./draft.ts";
import { appendItem, newItem } from "./thread.ts";
import { closeToolCalls } from "./tool-call.ts";

const noiseLinesKept = viewRows.noiseLinesKept.default;
const agentRunsKept = viewRows.agentRunsKept.default;

export function foldAgentWaiting(draft: Draft, { running, limit }: AgentWaiting): void {
  draft.view.agent = { ...draft.view.agent, waiting: { running, limit } };
}

/** The agent has started or is no longer needed. */
export function endAgentWait(draft: Draft): void {
  const { waiting, ...agent } = draft.view.agent;
  if (waiting !== undefined) draft.view.agent = agent;
}

export function foldAgentStarted(draft: Draft, event: AgentStarted): void {
  endAgentWait(draft);
  const known = draft.view.agent;
  if (known.starts > 0)
    appendItem(draft, "root", { ...newItem(draft, "agent-started"), how: event.how });
  draft.view.agent = {
    ...known,
    state: "running",
    starts: known.starts + 1,
    agentSessionId: event.agentSessionId,
    how: event.how,
    info: event.info,
    capabilities: event.capabilities,
    runs: runsWith(known.runs, draft.seq, event),
  };
}

/** A fold of a part of a log starts with all runs of the whole log and must not add them again. */
function runsWith(
  runs: readonly AgentRun[],
  from: number,
  event: AgentStarted,
): readonly AgentRun[] {
  if ((runs.at(-1)?.from ?? 0) >= from) return runs;
  const run: AgentRun = { from, ...runOf(event) };
  const isSame = JSON.stringify({ ...runAt(runs, from), from }) === JSON.stringify(run);
  return isSame && runs.length > 0 ? runs : [...runs, run].slice(-agentRunsKept);
}

export function foldAgentExited(draft: Draft, event: AgentExited): void {
  const because = event.because === undefined ? {} : { because: event.because };
  const exit = { code: event.code, signal: event.signal, stderr: textOf(event.stderr), ...because };
  closeToolCalls(draft, draft.view.turn.state === "cancelling" ? "cancelled" : "unfinished");
  appendItem(draft, "root", { ...newItem(draft, "agent-exited"), ...exit });
  draft.view.agent = { ...draft.view.agent, state: "exited", exit: { at: draft.at, ...exit } };
}

/** Counts all lines and keeps the latest. */
export function foldAgentNoise(draft: Draft, event: AgentNoise): void {
  const { noise } = draft.view.agent;
  draft.view.agent = {
    ...draft.view.agent,
    noise: {
      count: noise.count + event.count,
      lines: [...noise.lines, ...event.lines.map(textOf)].slice(-noiseLinesKept),
      reason: event.reason,
    },
  };
}
