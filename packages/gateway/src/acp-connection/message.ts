import { isRecord } from "@landline/system/json";
import { hasNul, textOfMember, type LandlineError } from "@landline/protocol";
import { normaliseMessage, type Hits } from "@landline/protocol/compat";

/** One parsed line of an agent, classified by how it is handled. */
export type Message =
  | AgentUpdate
  | {
      readonly type: "request";
      readonly id: RequestId;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly type: "notification"; readonly method: string; readonly params: unknown }
  | {
      readonly type: "response";
      readonly id: RequestId;
      readonly body: Readonly<Record<string, unknown>>;
    }
  | Refusal
  | { readonly type: "noise"; readonly reason: NoiseReason };

/** A `session/update`: the parsed value for routing and state, and the original text for the log. */
export interface AgentUpdate {
  readonly type: "update";
  readonly sessionId: string;
  readonly update: Readonly<Record<string, unknown>>;
  readonly raw: string;
}

/** An invalid message that needs a response. The response is an error. */
export interface Refusal {
  readonly type: "refusal";
  readonly id: RequestId | null;
  readonly code: "invalid-request" | "invalid-params" | "message-too-large";
  readonly message: string;
}

export type RequestId = string | number;

export type NoiseReason =
  | "not JSON"
  | "not JSON-RPC"
  | "not UTF-8"
  | "a NUL in a string"
  | "a response to nothing"
  | "longer than the limit for a line";

const UPDATE_OPENING = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"';
const UPDATE_MIDDLE = '","update":';

export function readMessage(line: string, maxIdLength: number, hits?: Hits): Message {
  return readUpdateFast(line) ?? readAny(line, maxIdLength, hits);
}

/**
 * All updates of seventeen tested agents have exactly this form, so only the update itself is parsed. If that
 * succeeds, the split is correct.
 */
function readUpdateFast(line: string): AgentUpdate | null {
  if (!line.startsWith(UPDATE_OPENING) || !line.endsWith("}}")) return null;
  const idEnd = line.indexOf('"', UPDATE_OPENING.length);
  if (!line.startsWith(UPDATE_MIDDLE, idEnd)) return null;
  const sessionId = line.slice(UPDATE_OPENING.length, idEnd);
  const raw = line.slice(idEnd + UPDATE_MIDDLE.length, -2);
  if (sessionId.includes("\\") || hasNul(raw)) return null;
  try {
    const update: unknown = JSON.parse(raw);
    return isRecord(update) ? { type: "update", sessionId, update, raw } : null;
  } catch {
    return null;
  }
}

function readAny(line: string, maxIdLength: number, hits?: Hits): Message {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { type: "noise", reason: "not JSON" };
  }
  if (Array.isArray(value)) {
    return {
      type: "refusal",
      id: null,
      code: "invalid-request",
      message: "ACP does not support batches: send one message per line.",
    };
  }
  if (!isRecord(value)) return { type: "noise", reason: "not JSON-RPC" };
  const { id, jsonrpc, method } = value;
  // Seed 002 omits `jsonrpc`. Any other value is not JSON-RPC 2.0.
  const isVersion2 = jsonrpc === undefined || jsonrpc === "2.0";
  if (isVersion2 && typeof method === "string") return readCall(line, value, maxIdLength, hits);
  const isResponse = method === undefined && ("result" in value || "error" in value);
  if (isVersion2 && isResponse) {
    if (!isId(id)) return { type: "noise", reason: "a response to nothing" };
    return { type: "response", id, body: hasNul(line) ? { error: NUL } : value };
  }
  // Agents also print lines of JSON that are not meant for the client.
  const isAddressed = jsonrpc !== undefined || typeof method === "string";
  if (isResponse || !isAddressed || !isId(id) || idProblem(id, maxIdLength))
    return { type: "noise", reason: "not JSON-RPC" };
  return jsonrpc === "2.0" && method === undefined
    ? { type: "response", id, body: value }
    : invalidRequest(id);
}

export function invalidRequest(id: RequestId | null): Refusal {
  const message =
    "The message is neither a request, a notification nor a response of JSON-RPC 2.0.";
  return { type: "refusal", id, code: "invalid-request", message };
}

const NUL = "a NUL in a string";

function readCall(
  line: string,
  value: Readonly<Record<string, unknown>>,
  maxIdLength: number,
  hits?: Hits,
): Message {
  const problem =
    value["id"] === undefined || value["id"] === null ? null : idProblem(value["id"], maxIdLength);
  if (problem) return { type: "refusal", id: null, ...problem };
  const id = (value["id"] ?? null) as RequestId | null;
  let call = value;
  try {
    call = normaliseMessage(value, hits);
  } catch (error) {
    const { message } = error as LandlineError;
    return { type: "refusal", id, code: "invalid-request", message };
  }
  const method = call["method"] as string;
  const params = call["params"];
  const nul = hasNul(line);
  if (call["id"] === undefined) {
    if (nul) return { type: "noise", reason: NUL };
    return readUpdate(line, method, params) ?? { type: "notification", method, params };
  }
  if (id === null)
    return {
      type: "refusal",
      id,
      code: "invalid-request",
      message: "A request can't have the id null.",
    };
  if (nul) return refused(id, "a text has a NUL in it");
  if (hasInfiniteNumber(params)) return refused(id, "a number is out of range");
  return { type: "request", id, method, params };
}

function readUpdate(line: string, method: string, params: unknown): AgentUpdate | null {
  if (method !== "session/update" || !isRecord(params)) return null;
  const { sessionId, update } = params;
  if (typeof sessionId !== "string" || !isRecord(update)) return null;
  const raw = textOfMember(line, ["params", "update"]);
  return raw === null ? null : { type: "update", sessionId, update, raw };
}

function refused(id: RequestId, what: string): Refusal {
  return {
    type: "refusal",
    id,
    code: "invalid-params",
    message: `The request is not valid: ${what}.`,
  };
}

function idProblem(id: unknown, maxIdLength: number): Pick<Refusal, "code" | "message"> | null {
  if (!isId(id))
    return { code: "invalid-request", message: "A request id is a string or a whole number." };
  if (typeof id === "string" && id.length > maxIdLength) {
    return {
      code: "invalid-params",
      message: `A request id has at most ${maxIdLength} characters.`,
    };
  }
  if (typeof id === "number" && !Number.isSafeInteger(id)) {
    return { code: "invalid-params", message: "The request id is out of range." };
  }
  return null;
}

function isId(id: unknown): id is RequestId {
  return typeof id === "string" || typeof id === "number";
}

/** Whether a number overflows to infinity in JavaScript, such as 1e999. */
function hasInfiniteNumber(params: unknown): boolean {
  const open: unknown[] = [params];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === "number" && !Number.isFinite(value)) return true;
    if (typeof value === "object" && value !== null) {
      for (const member of Object.values(value)) if (member !== undefined) open.push(member);
    }
  }
  return false;
}
