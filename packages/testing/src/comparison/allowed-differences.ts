import type { WireMessage } from "../personas/wire.ts";
import { comparedAgent } from "./compared-agent.ts";

type Fields = Readonly<Record<string, unknown>>;
type Messages = readonly WireMessage[];

/** One of the two runs that are compared. */
export interface Side {
  readonly isGateway: boolean;
  readonly cwd: string;
  /** False where only the order within a session is defined. */
  readonly keepsOrder: boolean;
}

interface AllowedDifference {
  readonly reason: string;
  /** Removes the difference from the messages of one run. */
  readonly apply: (messages: Messages, side: Side) => Messages;
}

/**
 * Everything in which the messages of an agent and those of the same agent behind a gateway may differ, in the order of
 * application. docs/acp.md describes those that a client notices.
 */
export const allowedDifferences = {
  "pages of session/list": {
    reason:
      "The gateway's pages are longer, and the agent's own sessions are on a page of their own.",
    apply: withWholeLists,
  },
  "order of session/list": {
    reason: "The gateway lists the sessions that were used last first.",
    apply: withSortedLists,
  },
  "order of terminal requests": {
    reason:
      "The gateway waits for the exit of a command from its start, and reads the output for the log.",
    apply: withLateTerminalRequests,
  },
  "session ids": {
    reason: "Sessions have the ids of the gateway, because they outlive those of the agent.",
    apply: withNumberedSessions,
  },
  "ids of the agent's requests": {
    reason: "Each connection has its own ids.",
    apply: withNumberedRequests,
  },
  folder: {
    reason: "Each run has its own folder.",
    apply: (messages, { cwd }) =>
      changed(messages, (_key, value) =>
        typeof value === "string" ? value.replaceAll(cwd, "{{cwd}}") : value,
      ),
  },
  times: {
    reason: "The runs are at different times.",
    apply: (messages) =>
      changed(messages, (key, value) =>
        key === "updatedAt" && !Number.isNaN(Date.parse(String(value))) ? "a time" : value,
      ),
  },
  "_meta of the gateway": {
    reason: "Cursors and ids for clients that know Landline.",
    apply: gatewayOnly((messages) => changed(messages, withoutOwnMeta)),
  },
  agentInfo: {
    reason: "The gateway names itself and the agent.",
    apply: (messages) =>
      answers(messages, "initialize", ({ agentInfo: _info, ...result }) => result),
  },
  capabilities: {
    reason: "The gateway answers `session/status` and `session/set_title` for every agent.",
    apply: gatewayOnly((messages) => answers(messages, "initialize", withoutOwnCapabilities)),
  },
  "usage of an opened session": {
    reason:
      "The gateway has the last usage, so it sends it after the response that opens a session.",
    apply: gatewayOnly(withoutRepeatedUsage),
  },
  "notices of failed turns": {
    reason: "Other clients, and clients that load the session, would not learn it otherwise.",
    apply: gatewayOnly(withoutFailureNotices),
  },
  "cancelled prompts": {
    reason:
      "The gateway cancels the turn of a prompt whose request is cancelled, and answers as for `session/cancel`.",
    apply: gatewayOnly(withCancelledRequests),
  },
  "errors of the gateway": {
    reason: "The gateway refuses invalid requests itself, with other messages and the same codes.",
    apply: withoutRefusalTexts,
  },
  "codes and data of errors": {
    reason: "The log keeps the message of an agent's error, and a code of its own.",
    apply: withPlainErrors,
  },
  "terminals in a replay": {
    reason: "The terminal is gone, so the gateway sends its output as text.",
    apply: withoutReplayedTerminals,
  },
  "order of sessions": {
    reason:
      "Over HTTP, and for sessions that work at the same time, only the order within a session is defined.",
    apply: (messages, { keepsOrder }) => (keepsOrder ? messages : bySession(messages)),
  },
  "ids of the client's requests": {
    reason: "A client needs another number of pages for a list.",
    apply: withNamedResponses,
  },
} as const satisfies Record<string, AllowedDifference>;

function gatewayOnly(apply: (messages: Messages) => Messages): AllowedDifference["apply"] {
  return (messages, { isGateway }) => (isGateway ? apply(messages) : messages);
}

function textAt(fields: unknown, name: string): string | undefined {
  const value = (fields as Fields | undefined)?.[name];
  return typeof value === "string" ? value : undefined;
}

/** Replaces values anywhere in the messages. A value that becomes undefined is removed. */
function changed(messages: Messages, change: (key: string, value: unknown) => unknown): Messages {
  return messages.map(({ from, message }) => ({
    from,
    message: JSON.parse(JSON.stringify(message, change)) as Fields,
  }));
}

function withNumberedSessions(messages: Messages): Messages {
  const names = new Map<string, string>();
  return changed(messages, (key, value) => {
    if (key !== "sessionId" || typeof value !== "string") return value;
    if (!names.has(value)) names.set(value, `session ${names.size + 1}`);
    return names.get(value);
  });
}

function withNumberedRequests(messages: Messages): Messages {
  const names = new Map<unknown, string>();
  for (const { from, message } of messages)
    if (from === "agent" && typeof message["method"] === "string" && message["id"] !== undefined)
      names.set(message["id"], `request ${names.size + 1}`);
  return messages.map(({ from, message }) => {
    const { id, method, params } = message;
    if (from === "agent" && method === "$/cancel_request")
      return {
        from,
        message: {
          ...message,
          params: { ...(params as Fields), requestId: names.get((params as Fields)["requestId"]) },
        },
      };
    const isOwn = from === "agent" ? method !== undefined : method === undefined;
    return isOwn && id !== undefined
      ? { from, message: { ...message, id: names.get(id) } }
      : { from, message };
  });
}

function withoutOwnMeta(key: string, value: unknown): unknown {
  if (key !== "_meta" || typeof value !== "object" || value === null) return value;
  const rest = Object.entries(value).filter(
    ([name]) => !/^(?:acp|landline)\//.test(name) && name !== "transport",
  );
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** The method of each request of the client, by id. */
function requests(messages: Messages): ReadonlyMap<unknown, WireMessage["message"]> {
  return new Map(
    messages.flatMap(({ from, message }) =>
      from === "client" && message["method"] !== undefined && message["id"] !== undefined
        ? [[message["id"], message]]
        : [],
    ),
  );
}

/** Changes the results of the requests of one method. */
function answers(messages: Messages, method: string, change: (result: Fields) => Fields): Messages {
  const asked = requests(messages);
  return messages.map(({ from, message }) => {
    const { id, result } = message;
    const isAnswer =
      from === "agent" && asked.get(id)?.["method"] === method && result !== undefined;
    return isAnswer
      ? { from, message: { ...message, result: change(result as Fields) } }
      : { from, message };
  });
}

const titleOf = (session: unknown) => String((session as Fields)["title"]);

function withSortedLists(messages: Messages): Messages {
  return answers(messages, "session/list", (result) => ({
    ...result,
    sessions: (result["sessions"] as unknown[]).toSorted((one, other) =>
      titleOf(one).localeCompare(titleOf(other)),
    ),
  }));
}

function withoutOwnCapabilities(result: Fields): Fields {
  const agentCapabilities = result["agentCapabilities"] as Fields;
  const {
    status: _status,
    title: _title,
    ...rest
  } = agentCapabilities["sessionCapabilities"] as Fields;
  return { ...result, agentCapabilities: { ...agentCapabilities, sessionCapabilities: rest } };
}

/** Joins the pages of each list into one response. */
function withWholeLists(messages: Messages): Messages {
  const asked = requests(messages);
  const whole: WireMessage[] = [];
  let first = -1;
  for (const one of messages) {
    const { from, message } = one;
    const request = asked.get(message["id"]);
    const isPage = request?.["method"] === "session/list";
    const isContinued = isPage && (request["params"] as Fields)["cursor"] !== undefined;
    if (from === "agent" && isPage && message["result"] !== undefined) {
      const { nextCursor: _, ...result } = message["result"] as Fields;
      if (!isContinued) first = whole.push({ from, message: { ...message, result } }) - 1;
      else whole[first] = withMoreSessions(whole[first], result);
    } else if (!isContinued) whole.push(one);
  }
  return whole;
}

function withMoreSessions(page: WireMessage | undefined, more: Fields): WireMessage {
  const message = page?.message ?? {};
  const result = (message["result"] ?? {}) as Fields;
  const sessions = [result, more].flatMap((part) => part["sessions"] as unknown[]);
  return { from: "agent", message: { ...message, result: { ...result, ...more, sessions } } };
}

/** Names responses by their requests, because the number of requests may differ. */
function withNamedResponses(messages: Messages): Messages {
  const names = new Map<unknown, string>();
  const counts = new Map<string, number>();
  for (const [id, { method }] of requests(messages)) {
    const count = (counts.get(String(method)) ?? 0) + 1;
    counts.set(String(method), count);
    names.set(id, `${String(method)} ${count}`);
  }
  return messages.map(({ from, message }) => {
    const isResponse = from === "agent" && message["method"] === undefined;
    return isResponse
      ? { from, message: { ...message, id: names.get(message["id"]) } }
      : { from, message };
  });
}

const sessionOf = (fields: unknown) => textAt(fields, "sessionId") ?? "";

/** Over HTTP, each session has a stream, and the connection has one. Their order to each other is not defined. */
function bySession(messages: Messages): Messages {
  const asked = requests(messages);
  const keyOf = ({ from, message: { id, method, params } }: WireMessage): string => {
    if (from === "client") return "";
    // It names no session: the SDK's server sends it on the stream of the connection.
    if (method === "$/cancel_request") return method;
    if (method !== undefined) return sessionOf(params);
    const request = asked.get(id);
    return request?.["method"] === "session/load" ? "" : sessionOf(request?.["params"]);
  };
  const keyed = messages.map((message) => ({ message, key: keyOf(message) }));
  return keyed
    .toSorted((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)))
    .map(({ message }) => message);
}

const isLate = ({ from, message: { method } }: WireMessage) =>
  from === "agent" && (method === "terminal/wait_for_exit" || method === "terminal/output");

/** Puts the waiting and reading requests of each terminal before its release. */
function withLateTerminalRequests(messages: Messages): Messages {
  const ordered: WireMessage[] = [];
  const late: WireMessage[] = [];
  for (const one of messages) {
    if (isLate(one)) late.push(one);
    else {
      if (one.from === "agent" && one.message["method"] === "terminal/release")
        ordered.push(...late.splice(0));
      ordered.push(one);
    }
  }
  return [...ordered, ...late];
}

const isUpdate = ({ from, message }: WireMessage, kind: string) =>
  from === "agent" && updateOf(message)?.["sessionUpdate"] === kind;

function updateOf({ method, params }: Fields): Fields | undefined {
  return method === "session/update" ? ((params as Fields)["update"] as Fields) : undefined;
}

const opening = /^session\/(?:load|resume|fork)$/;

/** Removes usage that directly follows the commands of a session that was loaded, resumed or forked. */
function withoutRepeatedUsage(messages: Messages): Messages {
  let isOpened = false;
  let isAfterCommands = false;
  return messages.filter((one) => {
    const { from, message } = one;
    if (from === "client") {
      isOpened ||= opening.test(String(message["method"]));
      return true;
    }
    const isRepeated = isOpened && isAfterCommands && isUpdate(one, "usage_update");
    isAfterCommands = isUpdate(one, "available_commands_update");
    return !isRepeated;
  });
}

/** Removes notices with the messages of the agent's errors. */
function withoutFailureNotices(messages: Messages): Messages {
  return messages.filter((one) => {
    const { severity, title } = updateOf(one.message) ?? {};
    const isFailure = isUpdate(one, "notice") && severity === "error";
    return !(isFailure && errorMessages.has(title));
  });
}

const errorMessages: ReadonlySet<unknown> = new Set(
  comparedAgent.turns.flatMap(({ end }) =>
    typeof end === "object" && "error" in end ? [end.error?.message] : [],
  ),
);

function withCancelledRequests(messages: Messages): Messages {
  const cancelled = new Set(
    messages.flatMap(({ from, message: { method, params } }) =>
      from === "client" && method === "$/cancel_request" ? [(params as Fields)["requestId"]] : [],
    ),
  );
  return messages.map(({ from, message }) => {
    const { id, result, ...rest } = message;
    const isEnd = from === "agent" && cancelled.has(id) && rest["method"] === undefined;
    if (!isEnd || (result as Fields | undefined)?.["stopReason"] !== "cancelled")
      return { from, message };
    const error = { code: -32800, message: "Request cancelled" };
    return { from, message: { ...rest, id, error } };
  });
}

/** Errors of requests other than prompts to a session of the client. */
function withoutRefusalTexts(messages: Messages): Messages {
  const asked = requests(messages);
  return messages.map(({ from, message }) => {
    const { id, error } = message;
    const request = asked.get(id);
    const isOfAgent =
      request?.["method"] === "session/prompt" &&
      (request["params"] as Fields)["sessionId"] === "session 1";
    if (from === "client" || error === undefined || isOfAgent) return { from, message };
    return { from, message: { ...message, error: { code: (error as Fields)["code"] } } };
  });
}

/** Only codes of JSON-RPC and ACP are kept. */
function withPlainErrors(messages: Messages): Messages {
  return messages.map(({ from, message }) => {
    const { error } = message as { readonly error?: Fields };
    if (error === undefined) return { from, message };
    const { data: _, ...rest } = error;
    const code = Number(rest["code"]) <= -32000 ? rest["code"] : -32603;
    return { from, message: { ...message, error: { ...rest, code } } };
  });
}

/** In updates between `session/load` and the next request: over HTTP, the response may come before them. */
function withoutReplayedTerminals(messages: Messages, { isGateway }: Side): Messages {
  let isReplay = false;
  return messages.flatMap((one) => {
    const { from, message } = one;
    const { method } = message;
    if (from === "client" && method !== undefined) isReplay = method === "session/load";
    const update = updateOf(message);
    if (!isReplay || update?.["toolCallId"] !== "t1" || update["content"] === undefined)
      return [one];
    // The gateway sends the output again when the command has ended.
    if (isGateway && update["sessionUpdate"] === "tool_call_update") return [];
    const content = "the output of a terminal";
    const params = { ...(message["params"] as Fields), update: { ...update, content } };
    return [{ from, message: { ...message, params } }];
  });
}
