import {
  firstWords,
  runOf,
  type AgentRun,
  type SessionEvent,
  type UnknownEvent,
} from "@landline/protocol";
import { identifier, readUpdate, textOf } from "./reading.ts";
import { cleanText, clipText } from "./text.ts";

/** What one row of the session list says. */
export interface SessionFacts {
  readonly agent: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly title: string | null;
  /** A title that a person gave is not changed by the agent. */
  readonly titleBy: "person" | "agent" | null;
  readonly firstPrompt: string | null;
  readonly hasFailed: boolean;
  readonly parent: string | null;
  readonly agentSessionId: string | null;
  /** What the latest start of the agent says of it. */
  readonly agentRun: Omit<AgentRun, "from">;
  readonly openedAt: number | null;
  readonly closedAt: number | null;
  readonly turn: "idle" | "running" | "stalled";
  /** The event that started the latest turn; 0 before the first. */
  readonly turnSeq: number;
  readonly prompts: number;
  readonly turns: number;
  readonly errors: number;
}

export const noFacts: SessionFacts = {
  agent: "",
  cwd: "",
  roots: [],
  title: null,
  titleBy: null,
  firstPrompt: null,
  hasFailed: false,
  parent: null,
  agentSessionId: null,
  agentRun: {},
  openedAt: null,
  closedAt: null,
  turn: "idle",
  turnSeq: 0,
  prompts: 0,
  turns: 0,
  errors: 0,
};

export type AnyEvent = SessionEvent | UnknownEvent;

/** Events of kinds that nobody knows change nothing here; the same object comes back when nothing changed. */
export function nextFacts(facts: SessionFacts, any: AnyEvent, titleLength: number): SessionFacts {
  const event = any as SessionEvent;
  const title = (text: string | null) =>
    text === null ? null : clipText(cleanText(textOf(text)), titleLength);
  switch (event.kind) {
    case "session-opened":
      return {
        ...facts,
        agent: textOf(event.agent),
        cwd: textOf(event.cwd),
        roots: event.roots.map(textOf),
        parent: identifier(event.parent),
        agentSessionId: identifier(event.agentSessionId ?? null),
        title: title(event.title),
        titleBy: event.title === null ? null : "person",
        openedAt: event.at,
        closedAt: null,
      };
    case "session-changed": {
      const by = event.by === undefined ? "agent" : "person";
      return {
        ...facts,
        ...(event.cwd === undefined ? {} : { cwd: textOf(event.cwd) }),
        ...(event.roots === undefined ? {} : { roots: event.roots.map(textOf) }),
        ...(event.title === undefined
          ? {}
          : { title: title(event.title), titleBy: event.title === null ? null : by }),
      };
    }
    case "session-closed":
      return { ...facts, closedAt: event.at, turn: "idle" };
    // A session that is loaded again has an agent again.
    case "agent-started":
      return {
        ...facts,
        closedAt: null,
        agentSessionId: identifier(event.agentSessionId),
        agentRun: runOf(event),
      };
    case "prompt-queued":
      return {
        ...facts,
        prompts: facts.prompts + 1,
        firstPrompt: facts.firstPrompt ?? firstWords(event.content),
      };
    case "prompt-withdrawn":
      return { ...facts, prompts: Math.max(0, facts.prompts - 1) };
    case "turn-started":
      return {
        ...facts,
        turn: "running",
        turnSeq: event.seq,
        hasFailed: false,
        turns: facts.turns + 1,
      };
    case "turn-changed":
      return { ...facts, turn: event.state === "stalled" ? "stalled" : "running" };
    case "turn-ended":
      return { ...facts, turn: "idle", hasFailed: event.stopReason === "failed" };
    case "error":
      return { ...facts, errors: facts.errors + 1 };
    case "update": {
      if (event.child !== undefined || event.update["sessionUpdate"] !== "session_info_update")
        return facts;
      const reading = readUpdate(event.update);
      if (reading?.type !== "title" || facts.titleBy === "person") return facts;
      const given = title(reading.title);
      return { ...facts, title: given, titleBy: given === null ? null : "agent" };
    }
    default:
      return facts;
  }
}
