import {
  firstWords,
  listedTitle,
  type EventBody,
  type RawUpdate,
  type SessionSummary,
  type SessionView,
} from "@landline/protocol";
import { normaliseUpdate } from "@landline/protocol/compat";
import { maskOwnTokens } from "../telemetry/own-tokens.ts";
import { withConfigOptions, withMode, type Options } from "./options.ts";

/** What is known of a session beside its log: enough to list it and to start its agent again. */
export interface Facts {
  readonly agent: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly parent: string | null;
  readonly openedAt: number | null;
  title: string | null;
  titledByPerson: boolean;
  firstPrompt: string | null;
  /** Whether the last turn ended in an error. */
  hasFailed: boolean;
  closedAt: number | null;
  lastAt: number;
  agentSessionId: string | null;
  /** A copy of a conversation that the agent has no session of yet. */
  forked: boolean;
  options: Options;
}

export function factsOf(view: SessionView, lastAt: number): Facts {
  const { session, agent, modes, configOptions, models } = view;
  return {
    agent: session.agent,
    cwd: session.cwd,
    roots: session.roots,
    parent: session.parent,
    openedAt: session.openedAt,
    title: session.title,
    titledByPerson: session.titleBy === "person",
    firstPrompt: session.firstPrompt,
    hasFailed: view.lastTurn?.stopReason === "failed",
    closedAt: session.closedAt,
    lastAt,
    agentSessionId: agent.agentSessionId,
    forked: agent.agentSessionId === null && view.items.some(isConversation),
    options: { modes, configOptions, models },
  };
}

function isConversation({ type }: SessionView["items"][number]): boolean {
  return type === "message" || type === "tool-call";
}

/** What happens, as far as a list shows it: what would be read from the log, where long texts are elsewhere. */
export function noteEvent(facts: Facts, event: EventBody, blobBytes: number): void {
  if (event.kind === "prompt-queued")
    facts.firstPrompt ??= firstWords(
      event.content.filter((block) => !("text" in block) || !isLonger(block.text, blobBytes)),
    );
  else if (event.kind === "turn-started") facts.hasFailed = false;
  else if (event.kind === "turn-ended") facts.hasFailed = event.stopReason === "failed";
}

const isLonger = (text: string, bytes: number): boolean =>
  text.length * 3 > bytes && Buffer.byteLength(text) > bytes;

/** What the agent says about itself by the way. Returns whether anything changed that a list shows. */
export function noteUpdate(facts: Facts, raw: RawUpdate): boolean {
  switch (raw["sessionUpdate"]) {
    case "current_mode_update":
    case "config_option_update":
    case "config_options":
    case "session_info_update":
      return noteChange(facts, normaliseUpdate(raw));
    default:
      return false;
  }
}

function noteChange(facts: Facts, update: RawUpdate): boolean {
  const { currentModeId, configOptions } = update;
  if (typeof currentModeId === "string") facts.options = withMode(facts.options, currentModeId);
  if (Array.isArray(configOptions))
    facts.options = withConfigOptions(
      facts.options,
      configOptions as NonNullable<Options["configOptions"]>,
    );
  const { title } = update;
  if (typeof title !== "string" && title !== null) return false;
  if (facts.titledByPerson || facts.title === title) return false;
  facts.title = title;
  return true;
}

export function summaryOf(
  sessionId: string,
  facts: Facts,
  head: number,
  state: SessionSummary["state"],
): SessionSummary {
  const { options: _, agentSessionId: __, forked: ___, titledByPerson: ____, ...shown } = facts;
  // What is in the log is masked already; this was noted before it came there.
  const title = masked(facts.title);
  const words = {
    title: title === null ? null : listedTitle(title),
    firstPrompt: masked(facts.firstPrompt),
  };
  return { sessionId, ...shown, ...words, state, head };
}

function masked(text: string | null): string | null {
  return text === null ? null : maskOwnTokens(text);
}
