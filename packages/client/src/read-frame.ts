import {
  isRecord,
  type AgentSummary,
  type GatewayFrame,
  type RulesDamage,
  type SessionEvent,
  type SessionSummary,
  type SessionView,
  type UnknownEvent,
} from "@landline/protocol";

export type AnyEvent = SessionEvent | UnknownEvent;

/**
 * Parses a message of the gateway. Returns null for unknown and malformed ones; a lost event is noticed by its
 * sequence number.
 */
export function readFrame(text: unknown): GatewayFrame | null {
  if (typeof text !== "string") return null;
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return null;
  }
  return isRecord(frame) ? frameOf(frame) : null;
}

function frameOf(frame: Readonly<Record<string, unknown>>): GatewayFrame | null {
  const { type, sessionId, terminalId, head } = frame;
  switch (type) {
    case "ping":
      return { type };
    case "reply":
      return isId(frame["id"]) ? (frame as unknown as GatewayFrame) : null;
    case "attached":
      return typeof sessionId === "string" && isNumber(head) && isAttached(frame)
        ? (frame as unknown as GatewayFrame)
        : null;
    case "events":
      return typeof sessionId === "string" && Array.isArray(frame["events"])
        ? { type, sessionId, events: eventsOf(frame["events"]) }
        : null;
    case "gap":
      return typeof sessionId === "string" && isNumber(head) ? { type, sessionId, head } : null;
    case "sessions":
      return sessionsOf(frame);
    case "agents":
      return { type, agents: agentsOf(frame["agents"]) };
    case "people":
      return { type, people: peopleOf(frame["people"]) };
    case "rules-damage":
      return { type, damage: rulesDamageOf(frame["damage"]) };
    case "terminal":
      return typeof terminalId === "string" && typeof frame["text"] === "string"
        ? { type, terminalId, text: frame["text"] }
        : null;
    default:
      return null;
  }
}

function isId(value: unknown): boolean {
  return value === null || typeof value === "number" || typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isAttached({ from, view }: Readonly<Record<string, unknown>>): boolean {
  return from === "tail" || (from === "snapshot" && isView(view));
}

function isListOfRecords(value: unknown): boolean {
  return Array.isArray(value) && value.every(isRecord);
}

/** Checks the lists that folding and rendering need. */
export function isView(view: unknown): view is SessionView {
  if (!isRecord(view) || !isNumber(view["head"])) return false;
  return viewLists.every((name) => isListOfRecords(view[name])) && isRecord(view["session"]);
}

const viewLists = ["items", "queue", "openAsks", "subagents", "terminals", "plans"] as const;

/** The events before the first malformed one, because those after it would leave a gap. */
export function eventsOf(values: readonly unknown[]): readonly AnyEvent[] {
  const broken = values.findIndex((value) => !isEvent(value));
  return (broken === -1 ? values : values.slice(0, broken)) as readonly AnyEvent[];
}

function isEvent(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { seq, at, kind } = value;
  return isNumber(seq) && seq >= 1 && typeof at === "number" && typeof kind === "string";
}

function sessionsOf({ sessions, gone }: Readonly<Record<string, unknown>>): GatewayFrame {
  const ids = Array.isArray(gone) ? gone.filter((id) => typeof id === "string") : [];
  return { type: "sessions", sessions: summariesOf(sessions), gone: ids };
}

export function summariesOf(value: unknown): readonly SessionSummary[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (summary) =>
      isRecord(summary) &&
      typeof summary["sessionId"] === "string" &&
      typeof summary["lastAt"] === "number" &&
      isNumber(summary["head"]),
  );
}

export function peopleOf(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([id, name]) => (typeof name === "string" ? [[id, name]] : [])),
  );
}

/** Damage is reported even if its details are malformed. */
export function rulesDamageOf(value: unknown): RulesDamage | null {
  if (!isRecord(value)) return null;
  const { movedTo, reason, at } = value;
  return {
    movedTo: typeof movedTo === "string" ? movedTo : null,
    reason: typeof reason === "string" ? reason : "",
    at: isNumber(at) ? at : 0,
  };
}

export function agentsOf(value: unknown): readonly AgentSummary[] {
  if (!Array.isArray(value)) return [];
  return value.filter((agent) => isRecord(agent) && typeof agent["id"] === "string");
}
