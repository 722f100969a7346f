import { isRecord } from "@landline/system/json";

/**
 * Checks the fields that the gateway reads: in an agent's requests before a handler runs, and in its responses before
 * a session uses them. Other fields are not checked.
 */
type Check = (value: unknown, at: string) => string | null;

const text: Check = (value, at) => (typeof value === "string" ? null : `${at} must be a string`);
const flag: Check = (value, at) =>
  typeof value === "boolean" ? null : `${at} must be true or false`;
const anything: Check = () => null;

function whole(max: number, min = 0): Check {
  return (value, at) =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
      ? null
      : `${at} must be a whole number from ${min} to ${max}`;
}

/** Absent and null mean the same in ACP. */
function optional(check: Check): Check {
  return (value, at) => (value === undefined || value === null ? null : check(value, at));
}

function list(check: Check): Check {
  return (value, at) => {
    if (!Array.isArray(value)) return `${at} must be a list`;
    for (const [index, item] of value.entries()) {
      const problem = check(item, `${at}[${index}]`);
      if (problem) return problem;
    }
    return null;
  };
}

function object(fields: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(fields);
  return (value, at) => {
    if (!isRecord(value)) return `${at} must be an object`;
    for (const [name, check] of checks) {
      const problem = check(value[name], at === "" ? name : `${at}.${name}`);
      if (problem) return problem;
    }
    return null;
  };
}

const UINT16 = 65_535;
const UINT32 = 4_294_967_295;
const session = { sessionId: text };
const terminal = object({ ...session, terminalId: text });

const requests: Readonly<Record<string, Check>> = {
  "session/request_permission": object({
    ...session,
    toolCall: object({ toolCallId: text }),
    options: list(object({ optionId: text, name: text, kind: text })),
  }),
  "fs/read_text_file": object({
    ...session,
    path: text,
    line: optional(whole(UINT32, 1)),
    limit: optional(whole(UINT32)),
  }),
  "fs/write_text_file": object({ ...session, path: text, content: text }),
  "terminal/create": object({
    ...session,
    command: text,
    args: optional(list(text)),
    env: optional(list(object({ name: text, value: text }))),
    cwd: optional(text),
    outputByteLimit: optional(whole(Number.MAX_SAFE_INTEGER)),
  }),
  "terminal/output": terminal,
  "terminal/wait_for_exit": terminal,
  "terminal/kill": terminal,
  "terminal/release": terminal,
  "elicitation/create": object({ message: text, mode: text, sessionId: optional(text) }),
};

const opened = {
  modes: optional(
    object({ currentModeId: text, availableModes: list(object({ id: text, name: text })) }),
  ),
  configOptions: optional(list(object({ id: text, name: text, type: text }))),
};

const exit = { exitCode: optional(whole(UINT32)), signal: optional(text) };

const results: Readonly<Record<string, Check>> = {
  "fs/read_text_file": object({ content: text }),
  "terminal/create": object({ terminalId: text }),
  "terminal/output": object({ output: text, exitStatus: optional(object(exit)) }),
  "terminal/wait_for_exit": object(exit),
  initialize: object({
    protocolVersion: whole(UINT16),
    agentCapabilities: optional(object({ loadSession: optional(flag) })),
    agentInfo: optional(object({ name: text, version: text })),
    authMethods: optional(list(object({ id: text, name: text }))),
  }),
  "session/new": object({ ...session, ...opened }),
  "session/load": object(opened),
  "session/resume": object(opened),
  "session/fork": object({ ...session, ...opened }),
  "session/prompt": object({ stopReason: text }),
  "session/list": object({
    sessions: list(object({ sessionId: text, cwd: text })),
    nextCursor: optional(text),
  }),
  "session/set_config_option": object({ configOptions: optional(opened.configOptions) }),
};

/** Returns the problem with the parameters of an agent's request, or null. Unknown methods pass. */
export function requestProblem(method: string, params: unknown): string | null {
  // The agent chooses the method name, so inherited properties must not match.
  const check = Object.hasOwn(requests, method) ? requests[method] : undefined;
  return (check ?? anything)(params, "");
}

/** Returns the problem with an agent's result, or null. Every result in ACP is an object. */
export function resultProblem(method: string, result: unknown): string | null {
  const problem = (results[method] ?? (method.startsWith("_") ? anything : object({})))(result, "");
  return problem?.startsWith(" ") ? `the result${problem}` : problem;
}
