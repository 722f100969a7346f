import { setTimeout as sleep } from "node:timers/promises";
import { LandlineError, type AgentStarted, type Limits } from "@landline/protocol";
import type { RunningAgent } from "../agents/agent.ts";
import { permissionModesOf } from "../agents/permission-modes.ts";
import { canFork, wentBack, waysBack, type AgentRun } from "./agent-run.ts";
import { noOptions, readOptions, type Choice, type Options } from "./options.ts";
import { sessionParams } from "./session-params.ts";
import { restoringChoices, type Earlier } from "./restored-choices.ts";
import type { StateMachine } from "./session-state.ts";

/** What the session was before its agent is started again. */
export interface Before {
  /** The agent's own id; null when it has none of this conversation. */
  readonly agentSessionId: string | null;
  readonly options: Options;
  /** The options that the agent began the session with; null when they are not known. */
  readonly firstOptions: () => Promise<Options | null>;
  /** Ways back that the agent said yes to, and then did not know the conversation. */
  readonly deadEnds: ReadonlySet<AgentStarted["how"]>;
  /** The agent's ids of sessions that this one can be copied from; asked for when nothing else is left. */
  readonly origins: () => Promise<readonly string[]>;
}

export interface Opening {
  readonly run: AgentRun;
  /** The agent of the run, which has answered initialize. */
  readonly agent: RunningAgent;
  /** Null for a session that is new. */
  readonly before: Before | null;
  readonly limits: Limits;
  readonly state: StateMachine;
  /** How somebody signed in to this agent last; null when nobody did. */
  readonly lastMethod: () => string | null;
}

export interface Opened {
  readonly options: Options;
  /** Choices that the session had before and does not have now, or should not have. */
  readonly lost: readonly LandlineError[];
}

type Result = Readonly<Record<string, unknown>>;

/** Opens the session of a run: resumed, loaded, copied, or new. */
export async function openSession(opening: Opening): Promise<Opened> {
  const { run, before } = opening;
  const result = await enter(opening).catch((error: unknown) => signInAgain(opening, error));
  const wanted = before?.options ?? noOptions;
  // An agent that came back and does not name its options still has them.
  const options = readOptions(result, wentBack(run) ? wanted : noOptions);
  if (!before) return { options, lost: [] };
  return restore(opening, options, { wanted, first: await before.firstOptions() });
}

async function enter(opening: Opening): Promise<Result> {
  return (
    (await goBack(opening)) ??
    (await copyOrigin(opening)) ??
    (await make(opening, "session/new", {}, opening.before ? "transcript" : "new"))
  );
}

/** Resumes or loads the session that was; null when the agent can't or does not know it any more. */
async function goBack(opening: Opening): Promise<Result | null> {
  const { run, agent, before, limits, state } = opening;
  const sessionId = before?.agentSessionId ?? null;
  if (!before || sessionId === null) return null;
  for (const how of waysBack(agent.capabilities)) {
    if (before.deadEnds.has(how)) continue;
    // From here on its updates are known to be its own, and its history is not news.
    state.apply("agent-replays");
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
  state.apply("agent-begins-anew");
  return null;
}

/** One agent answers `load` first and plays its history after: what comes before it is quiet is history. */
async function quiet(run: AgentRun, { replayQuietMs }: Limits): Promise<void> {
  run.updates.lastAt = performance.now();
  while (performance.now() - run.updates.lastAt < replayQuietMs) await sleep(replayQuietMs / 4);
}

/** A new copy of what this session was forked from: some agents keep none that was not prompted. */
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
  state.apply("agent-begins-anew");
  return null;
}

/** The agent does not take this way back. Throws what no other way would help against. */
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
  // In the order of the wire: updates right behind the response belong to the new session.
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
    // The refusal says more than that the old sign-in does not help.
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
  for (const { choice, done, refused } of restoringChoices(fresh, earlier, modes)) {
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
