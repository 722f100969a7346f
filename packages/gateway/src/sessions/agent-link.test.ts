import {
  LandlineError,
  limitsOf,
  type EventBody,
  type LimitOverrides,
  type RawUpdate,
} from "@landline/protocol";
import type { SetAside } from "@landline/sandbox";
import { expect, onTestFinished, test, vi } from "vitest";
import type { AgentEntry, RunningAgent, StartOptions } from "../agents/agent.ts";
import type { CallOutcome } from "../acp-connection/calls.ts";
import type { ConnectionHandlers } from "../acp-connection/connection.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { AgentLink } from "./agent-link.ts";
import type { AgentMessages } from "./agent-messages.ts";
import type { AgentRequests } from "./agent-requests.ts";
import { AgentSlots } from "./agent-slots.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { KnownNotices } from "./known-notices.ts";
import { noOptions } from "./options.ts";
import { PausedAgents } from "./paused-agents.ts";
import type { Recorder } from "./recorder.ts";
import type { SessionHost } from "./session-host.ts";
import { StateMachine } from "./session-state.ts";

type Settle = (outcome: CallOutcome) => void;

/** A link whose agent answers when the test says so. `told`: what the session is told, in order. */
function linkOf(overrides: LimitOverrides = {}, agentSessionId: string | null = null) {
  const limits = limitsOf("default", { replayQuietMs: 20, ...overrides });
  const told: string[] = [];
  const calls: { readonly method: string; readonly settle: Settle }[] = [];
  let handlers: ConnectionHandlers | null = null;
  let created: SetAside | null = null;
  let stopping = Promise.resolve();
  const connection = {
    settings: {},
    call: (method: string, _params: object, _options: object, settle: Settle) => {
      calls.push({ method, settle });
      return calls.length;
    },
    request: (method: string) => {
      const answered = Promise.withResolvers<unknown>();
      calls.push({
        method,
        settle: ({ result, error }) => (error ? answered.reject(error) : answered.resolve(result)),
      });
      return answered.promise;
    },
  };
  const agent = {
    connection,
    info: null,
    confinement: null,
    places: { setAside: async () => created },
    permits: null,
    capabilities: { loadSession: true, sessionCapabilities: { fork: {} } },
    stop: async () => {
      await stopping;
      return { code: 0, signal: null, stderr: "" };
    },
  } as unknown as RunningAgent;
  const paused = new PausedAgents();
  const host = {
    limits,
    metrics: createMetrics(limits),
    slots: new AgentSlots(1),
    paused,
    catalog: { get: () => ({ id: "agent", kind: "process", withhold: {} }) },
    servers: { of: async () => [] },
    signIns: {
      introduced: () => {},
      accepted: () => {},
      explained: (_: unknown, error: unknown) => error,
    },
    agents: {
      start: async (options: StartOptions) => {
        ({ handlers } = options);
        return agent;
      },
    },
    forkOrigins: async () => [],
  } as unknown as SessionHost;
  const state = new StateMachine();
  const settings: AgentSettings = {
    agent: "agent",
    cwd: "/",
    roots: [],
    agentSessionId,
    isContinued: false,
    forked: false,
    options: noOptions,
    notices: new KnownNotices(),
  };
  const recorder = {
    log: { sessionId: "session", async *read() {} },
    record: (...events: EventBody[]) => told.push(...events.map(({ kind }) => kind)),
  } as unknown as Recorder;
  const agentRequests = {
    isBusy: false,
    agentGone: () => {},
    askAboutCreated: async ({ places }: SetAside) => {
      told.push(`asks about ${places.map(({ path }) => path).join()}`);
    },
  } as unknown as AgentRequests;
  const messages = {
    update: ({ raw }, child) => told.push(child === null ? raw : `${child}: ${raw}`),
    flush: () => {},
  } as Partial<AgentMessages> as AgentMessages;
  const link = new AgentLink({
    host,
    settings,
    state,
    recorder,
    agentRequests,
    messages: () => messages,
    gone: () => told.push("gone"),
    waits: () => {},
    changed: () => {},
  });
  const tells = (update: RawUpdate, raw: string, sessionId = "own") =>
    handlers?.update({ type: "update", sessionId, update, raw });
  const says = (sessionUpdate: string, sessionId?: string) =>
    tells({ sessionUpdate }, sessionUpdate, sessionId);
  const isAsked = async (method: string) => {
    await expect.poll(() => calls.at(-1)?.method).toBe(method);
  };
  const fails = async (method: string) => {
    await isAsked(method);
    calls.at(-1)?.settle({ error: new LandlineError("internal-error") });
  };
  const creates = (path: string) => {
    created = { places: [{ path }] } as unknown as SetAside;
  };
  /** Answers the next awaited call. */
  const answers = async (method: string, result: object) => {
    await isAsked(method);
    calls.at(-1)?.settle({ result });
  };
  const ends = () => handlers?.closed(null);
  /** The returned function lets the agent exit. */
  const holdEnd = () => {
    const held = Promise.withResolvers<void>();
    stopping = held.promise;
    return held.resolve;
  };
  const phase = () => state.now.agent;
  return {
    link,
    told,
    says,
    tells,
    answers,
    fails,
    creates,
    isAsked,
    ends,
    holdEnd,
    paused,
    phase,
  };
}

const started = ["agent-started", "options-changed"];

test("early updates wait until the session id is known", async () => {
  const { link, told, says, answers, isAsked, phase } = linkOf();
  const run = link.ensure();
  await isAsked("session/new");
  expect(phase()).toBe("opening");
  says("plan");
  says("plan", "child");
  expect(told).toEqual([]);
  await answers("session/new", { sessionId: "own" });
  says("tool_call");
  await run;
  says("usage_update");
  says("usage_update", "child");
  const early = ["plan", "child: plan", "tool_call"];
  expect(told).toEqual([...started, ...early, "usage_update", "child: usage_update"]);
  expect(phase()).toBe("ready");
});

test("a person is asked about protected places of an agent whose session could not be opened", async () => {
  const { link, told, fails, creates } = linkOf();
  const starting = link.ensure();
  creates(".git/hooks");
  await Promise.all([
    expect(starting).rejects.toMatchObject({ code: "internal-error" }),
    fails("session/new"),
  ]);
  expect(told).toEqual(["asks about .git/hooks"]);
});

test("too many early updates are delivered before the session id is known", async () => {
  const { link, told, says, answers, isAsked } = linkOf({ earlyUpdates: 2 });
  const run = link.ensure();
  await isAsked("session/new");
  for (let count = 0; count < 3; count++) says("plan");
  expect(told).toEqual(["plan", "plan"]);
  await answers("session/new", { sessionId: "own" });
  await run;
  expect(told).toEqual(["plan", "plan", ...started, "plan"]);
});

test("history is dropped until the first prompt, but current state is not", async () => {
  const { link, told, says, answers, isAsked, phase } = linkOf({}, "own");
  const starting = link.ensure();
  await isAsked("session/load");
  expect(phase()).toBe("replaying");
  says("agent_message_chunk");
  says("current_mode_update");
  await answers("session/load", {});
  says("agent_message_chunk");
  const run = await starting;
  expect(phase()).toBe("resumed");
  says("tool_call");
  says("notice");
  link.prompt(run, [], () => {});
  says("agent_message_chunk");
  expect(phase()).toBe("ready");
  const now = ["current_mode_update", "notice", "agent_message_chunk"];
  expect(told).toEqual([...started, ...now]);
});

test("an agent that sends updates without a pause after a load is not waited for forever", async () => {
  const { link, says, answers } = linkOf({ replayQuietMs: 2_000, sessionNewMs: 100 }, "own");
  const starting = link.ensure();
  await answers("session/load", {});
  const streaming = setInterval(() => says("agent_message_chunk"), 2);
  onTestFinished(() => clearInterval(streaming));
  expect(await starting).toMatchObject({ id: "own" });
});

test.each<RawUpdate>([
  { type: "text", content: "Hello" },
  { type: "thinking", content: "Hm" },
  { sessionUpdate: "thought_chunk", content: { type: "text", text: "Hm" } },
  { sessionUpdate: "user_message", content: "Go" },
  { sessionUpdate: "plan_update", plan: { entries: [] } },
  { sessionUpdate: "compaction_summary_chunk", compactionId: "1" },
  { sessionUpdate: "subagent_update", sessionId: "child" },
  { sessionUpdate: "session_message", messageId: "1" },
  { sessionUpdate: "session_message_chunk", messageId: "1" },
])("history is dropped in every spelling: %o", async (update) => {
  const { link, told, tells, answers, isAsked } = linkOf({}, "own");
  const starting = link.ensure();
  await isAsked("session/load");
  tells(update, "history");
  await answers("session/load", {});
  await starting;
  expect(told).toEqual(started);
});

test("updates for a fork are dropped, even those before its id was known", async () => {
  const { link, told, says, answers } = linkOf();
  const run = link.ensure();
  await answers("session/new", { sessionId: "own" });
  await run;
  told.length = 0;
  const copying = link.copy(() => told.push("copied"));
  says("usage_update", "copy");
  says("plan", "child");
  says("plan");
  expect(told).toEqual(["plan"]);
  await answers("session/fork", { sessionId: "copy" });
  says("usage_update", "copy");
  says("usage_update", "child");
  expect(told).toEqual(["plan", "child: plan", "copied", "child: usage_update"]);
  expect(await copying).toMatchObject({ id: "copy" });
});

test("too many do not wait for the id of the copy", async () => {
  const { link, told, says, answers } = linkOf({ earlyUpdates: 2 });
  const run = link.ensure();
  await answers("session/new", { sessionId: "own" });
  await run;
  told.length = 0;
  void link.copy(() => {});
  for (let count = 0; count < 3; count++) says("plan", "child");
  expect(told).toEqual(["child: plan", "child: plan"]);
});

test("an agent that exits right after its session was opened is gone", async () => {
  const { link, told, answers, ends } = linkOf();
  const run = link.ensure();
  await answers("session/new", { sessionId: "own" });
  ends();
  await run;
  expect(told).toEqual([...started, "gone"]);
});

test("a start is cancelled while the previous agent still exits", async () => {
  const { link, answers, holdEnd, phase } = linkOf();
  const first = link.ensure();
  await answers("session/new", { sessionId: "own" });
  const letEnd = holdEnd();
  const left = link.retire(await first);
  const second = link.ensure();
  expect(phase()).toBe("waiting");
  link.stopWaiting();
  await expect(second).rejects.toMatchObject({ code: "request-cancelled" });
  expect(phase()).toBe("ending");
  letEnd();
  await left;
  expect(phase()).toBe("absent");
});

test("a start is cancelled while it is delayed after crashes", async () => {
  const { link, phase } = linkOf({ restartDelayMs: 60_000, restartDelayMsMax: 60_000 });
  link.noteCrash();
  link.noteCrash();
  const starting = link.ensure();
  // It first waits for the previous agent.
  await link.left();
  await new Promise(setImmediate);
  link.stopWaiting();
  await expect(starting).rejects.toMatchObject({ code: "request-cancelled" });
  expect(phase()).toBe("absent");
});

test("a cancelled start does not restart the delay", async () => {
  const { link, answers } = linkOf({ restartDelayMs: 60_000, restartDelayMsMax: 60_000 });
  link.noteCrash();
  link.noteCrash();
  const givenUp = link.ensure();
  await link.left();
  await new Promise(setImmediate);
  link.stopWaiting();
  await expect(givenUp).rejects.toMatchObject({ code: "request-cancelled" });
  const now = vi.spyOn(performance, "now").mockReturnValue(performance.now() + 60_000);
  onTestFinished(() => now.mockRestore());
  const run = link.ensure();
  await answers("session/new", { sessionId: "own" });
  await run;
});

test("a start is cancelled while somebody signs out of the agent", async () => {
  const { link, answers, paused, phase } = linkOf();
  const signedOut = Promise.withResolvers<void>();
  const signingOut = paused.during({ id: "agent" } as AgentEntry, [], () => signedOut.promise);
  const starting = link.ensure();
  await new Promise(setImmediate);
  expect(phase()).toBe("waiting");
  link.stopWaiting();
  await expect(starting).rejects.toMatchObject({ code: "request-cancelled" });
  const run = link.ensure();
  await new Promise(setImmediate);
  expect(phase()).toBe("waiting");
  signedOut.resolve();
  await signingOut;
  await answers("session/new", { sessionId: "own" });
  await run;
});

test("an agent that crashed too often is started immediately for a person", async () => {
  const { link, answers } = linkOf({
    restartsMax: 1,
    restartDelayMs: 60_000,
    restartDelayMsMax: 60_000,
  });
  expect(link.noteCrash()).toBe(true);
  expect(link.noteCrash()).toBe(false);
  link.forgiveCrashes();
  const run = link.ensure();
  await answers("session/new", { sessionId: "own" });
  await run;
});
