import { setTimeout as sleep } from "node:timers/promises";
import { LandlineError, type AgentStarted, type Limits } from "@landline/protocol";
import type { RunningAgent } from "../agents/agent.ts";
import { permissionModesOf } from "../agents/permission-modes.ts";
import { canFork, didRestore, waysBack, type AgentRun } from "./agent-run.ts";
import { noOptions, readOptions, type Choice, type Options } from "./options.ts";
import { sessionParams } from "./session-params.ts";
import { optionsToRestore, type Earlier } from "./restored-options.ts";
import type { StateMachine } from "./session-state.ts";

/** The session before its agent was restarted. */
export interface Before {
  /** The agent's session id; null if it has none. */
  readonly agentSessionId: string | null;
  /** Somebody continues a session that the agent has: its replay is the history. */
  readonly keepsHistory: boolean;
  readonly options: Options;
  /** The options with which the agent started the session; null if unknown. */
  readonly readInitialOptions: () => Promise<Options | null>;
  /** Restore methods that succeeded although the agent had lost the session. */
  readonly deadEnds: ReadonlySet<AgentStarted["how"]>;
  /** The agent's session ids from which this session can be forked. Used as the last option. */
  readonly origins: () => Promise<readonly string[]>;
}

export interface Opening {
  readonly run: AgentRun;
  /** The agent of the run, after `initialize`. */
  readonly agent: RunningAgent;
  /** Null for a new session. */
  readonly before: Before | null;
  readonly limits: Limits;
  readonly state: StateMachine;
  /** The method of the last sign-in; null if there was none. */
  readonly lastMethod: () => string | null;
}

export interface Opened {
  readonly options: Options;
  /** Errors for choices that were not restored, or that the agent kept although it should not. */
  readonly lost: readonly LandlineError[];
}

type Result = Readonly<Record<string, unknown>>;

/** Opens the session of a run: resumed, loaded, forked or new. */
export async function openSession(opening: Opening): Promise<Opened> {
  const { run, before } = opening;
  const result = await enter(opening).catch((error: unknown) => signInAgain(opening, error));
  const wanted = before?.options ?? noOptions;
  // An agent that restored its session may omit unchanged options.
  const options = readOptions(result, didRestore(run) ? wanted : noOptions);
  if (!before) return { options, lost: [] };
  return restore(opening, options, { wanted, first: await before.readInitialOptions() });
}

async function enter(opening: Opening): Promise<Result> {
  return (
    (await goBack(opening)) ??
    (await copyOrigin(opening)) ??
    (await make(opening, "session/new", {}, opening.before ? "transcript" : "new"))
  );
}

/** Resumes or loads the session; null if the agent cannot or has lost it. */
async function goBack(opening: Opening): Promise<Result | null> {
  const { run, agent, before, limits, state } = opening;
  const sessionId = before?.agentSessionId ?? null;
  if (!before || sessionId === null) return null;
  const { keepsHistory } = before;
  const ways = waysBack(agent.capabilities);
  for (const how of keepsHistory ? ways.toReversed() : ways) {
    if (before.deadEnds.has(how)) continue;
    // From here on, updates belong to this session, and its history is dropped.
    if (!keepsHistory) state.apply("agent-replays");
    adopt(opening, sessionId, how);
    try {
      const params = { ...sessionParams(run.place, agent.capabilities), sessionId };
      const result = await ask(opening, `session/${how}`, params);
      if (how === "load") await quiet(run, limits);
      return result;
    } catch (error) {
      tryOtherwise(opening, error);
    }
  }
  if (keepsHistory) throw cannotContinue(opening, sessionId);
  state.apply("agent-starts-over");
  return null;
}

function cannotContinue({ run }: Opening, agentSessionId: string): LandlineError {
  return new LandlineError("session-not-found", {
    message: `${run.entry.name} cannot continue this session.`,
    help: "It may have been deleted in the agent. List the sessions of the agent again.",
    data: { agentSessionId },
  });
}

/**
 * Waits for a pause in the updates, because one agent replays its history after it answers `load`. An agent that never
 * pauses is waited for as long as for an answer.
 */
async function quiet(run: AgentRun, { replayQuietMs, sessionNewMs }: Limits): Promise<void> {
  const begunAt = performance.now();
  run.updates.lastAt = begunAt;
  const isReplaying = (now: number) =>
    now - run.updates.lastAt < replayQuietMs && now - begunAt < sessionNewMs && !run.isGone;
  while (isReplaying(performance.now())) await sleep(replayQuietMs / 4);
}

/** Forks an origin again, because some agents do not store a fork that received no prompt. */
async function copyOrigin(opening: Opening): Promise<Result | null> {
  const { agent, before, state } = opening;
  if (!before || before.deadEnds.has("fork") || !canFork(agent.capabilities)) return null;
  state.apply("agent-replays");
  for (const sessionId of await before.origins()) {
    try {
      return await make(opening, "session/fork", { sessionId }, "fork");
    } catch (error) {
      tryOtherwise(opening, error);
    }
  }
  state.apply("agent-starts-over");
  return null;
}

/** The agent refused this restore method. Rethrows errors that other methods would repeat. */
function tryOtherwise(opening: Opening, error: unknown): void {
  const { run } = opening;
  if (run.isGone || !(error instanceof LandlineError) || error.code === "timeout") throw error;
  run.id = null;
  if (methodFor(opening, error) !== null) throw error;
}

async function make(
  opening: Opening,
  method: "session/new" | "session/fork",
  from: { readonly sessionId?: string },
  how: AgentStarted["how"],
): Promise<Result> {
  const { run, agent, limits } = opening;
  const settled = Promise.withResolvers<Result>();
  // In wire order: updates after the response belong to the new session.
  agent.connection.call(
    method,
    { ...sessionParams(run.place, agent.capabilities), ...from },
    { timeoutMs: limits.sessionNewMs },
    ({ result, error }) => {
      if (error) settled.reject(error);
      else {
        const opened = result as Result;
        adopt(opening, String(opened["sessionId"]), how);
        settled.resolve(opened);
      }
    },
  );
  return settled.promise;
}

function adopt({ run, agent }: Opening, id: string, how: AgentStarted["how"]): void {
  run.id = id;
  run.how = how;
  run.needsTranscript = how === "transcript";
  agent.connection.facts = { onlySession: id };
}

async function signInAgain(opening: Opening, refusal: unknown): Promise<Result> {
  const { run } = opening;
  const methodId = methodFor(opening, refusal);
  if (methodId === null) throw refusal;
  run.signIn = "running";
  try {
    await ask(opening, "authenticate", { methodId });
  } catch {
    // The original refusal is more useful than the failed sign-in.
    throw refusal;
  } finally {
    run.signIn = "done";
  }
  return enter(opening);
}

function methodFor({ run, lastMethod }: Opening, error: unknown): string | null {
  const isRefusal = error instanceof LandlineError && error.code === "auth-required";
  return isRefusal && run.signIn === "none" && !run.isGone ? lastMethod() : null;
}

async function restore(opening: Opening, fresh: Options, earlier: Earlier): Promise<Opened> {
  const { run, agent } = opening;
  const modes = permissionModesOf(run.entry.id, agent.info);
  const lost: LandlineError[] = [];
  let options = fresh;
  for (const { choice, done, refused } of optionsToRestore(fresh, earlier, modes)) {
    try {
      if (choice) options = choice.after(await ask(opening, ...requestOf(run, choice)), options);
      if (done) lost.push(done);
    } catch (error) {
      if (run.isGone || !(error instanceof LandlineError)) throw error;
      lost.push(refused ?? error);
    }
  }
  return { options, lost };
}

/** The request that makes a choice. */
export function requestOf({ id }: AgentRun, { method, params }: Choice): [string, object] {
  return [method, { sessionId: id, ...params }];
}

async function ask(
  { agent, limits: { sessionNewMs: timeoutMs } }: Pick<Opening, "agent" | "limits">,
  method: string,
  params: object,
): Promise<Result> {
  return (await agent.connection.request(method, params, { timeoutMs })) as Result;
}
