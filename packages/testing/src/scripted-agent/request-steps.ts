import { contains, isObject, type JsonObject } from "./json.ts";
import type { Reply } from "./peer.ts";
import type { Asking } from "./step.ts";
import {
  filled,
  ScenarioFault,
  sessionIdOf,
  type Handlers,
  type StepContext,
} from "./step-context.ts";
import { untilAborted } from "./delays.ts";

type RequestStep =
  | "permission"
  | "ask"
  | "askDone"
  | "readFile"
  | "writeFile"
  | "createTerminal"
  | "terminalOutput"
  | "waitForExit"
  | "killTerminal"
  | "releaseTerminal"
  | "request"
  | "notify";

const usualOptions = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "always", name: "Always allow", kind: "allow_always" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];

export const requestSteps: Handlers<RequestStep> = {
  permission: async (body, context) => {
    const options = filled(body.options ?? usualOptions, context);
    await askSession("session/request_permission", { options, ...body }, context, (result) =>
      permissionKeys(result, options),
    );
  },
  ask: async (body, context) => {
    const mode = "url" in body ? "url" : "form";
    await askSession("elicitation/create", { mode, ...body }, context, actionKeys);
  },
  askDone: (body, context) => {
    const elicitationId = filled(body, context);
    context.output.send({
      jsonrpc: "2.0",
      method: "elicitation/complete",
      params: { elicitationId },
    });
  },
  readFile: (body, context) => askSession("fs/read_text_file", body, context),
  writeFile: (body, context) => askSession("fs/write_text_file", body, context),
  createTerminal: (body, context) => askSession("terminal/create", body, context),
  terminalOutput: (body, context) => askTerminal("terminal/output", body, context),
  waitForExit: (body, context) => askTerminal("terminal/wait_for_exit", body, context),
  killTerminal: (body, context) => askTerminal("terminal/kill", body, context),
  releaseTerminal: (body, context) => askTerminal("terminal/release", body, context),
  request: (body, context) =>
    ask(filled(body.method, context), filled(body.params, context), body, context, actionKeys),
  notify: (body, context) => {
    context.output.send({ jsonrpc: "2.0", ...filled(body, context) });
  },
};

type BranchKeys = (result: JsonObject) => readonly string[];

/** The outcome of a request to the client. */
const actionKeys: BranchKeys = ({ action }) => (typeof action === "string" ? [action] : []);

async function askTerminal(method: string, body: Asking, context: StepContext): Promise<void> {
  await askSession(method, { terminalId: "{{terminalId}}", ...body }, context);
}

async function askSession(
  method: string,
  body: Asking,
  context: StepContext,
  keysOf?: BranchKeys,
): Promise<void> {
  const { on: _on, expect: _expect, save: _save, wait: _wait, ...params } = body;
  const full = { sessionId: sessionIdOf(context), ...filled(params, context) };
  await ask(method, full, body, context, keysOf);
}

async function ask(
  method: string,
  params: unknown,
  asking: Asking,
  context: StepContext,
  keysOf: BranchKeys = () => [],
): Promise<void> {
  const { id, reply } = context.connection.peer.request(method, params, context.output);
  context.saved.set("lastRequestId", id);
  context.openRequests.add(id);
  if (asking.wait === false) return;
  const answer = await untilAborted(reply, context.signal);
  context.openRequests.delete(id);
  const ok = "result" in answer;
  const result = ok && isObject(answer.result) ? answer.result : {};
  if (ok) {
    if (asking.save !== undefined) context.saved.set(asking.save, answer.result);
    if (typeof result["terminalId"] === "string") {
      context.saved.set("terminalId", result["terminalId"]);
    }
  }
  checkExpectation(method, asking, answer, context);
  const keys = ok ? [...keysOf(result), "ok"] : [String(answer.error.code), "error"];
  const branch = [...keys, "otherwise"].find((key) => asking.on?.[key] !== undefined);
  if (branch !== undefined) await context.play(asking.on?.[branch] ?? [], context);
  else if (!ok && asking.expect === undefined) {
    throw new ScenarioFault(`${method} was answered with an error that no branch handles`, {
      method,
      error: answer.error,
    });
  }
}

function checkExpectation(
  method: string,
  asking: Asking,
  answer: Reply,
  context: StepContext,
): void {
  if (asking.expect === undefined) return;
  const expected = filled(asking.expect, context);
  const wantsError = isObject(expected) && "error" in expected;
  const actual = wantsError ? answer : "result" in answer ? answer.result : answer;
  if (contains(actual, expected)) return;
  throw new ScenarioFault(`${method} was not answered as expected`, { method, expected, actual });
}

/** Branch names in order of precedence: the option id, its kind, and `allow` or `reject`. */
function permissionKeys(result: JsonObject, options: readonly JsonObject[]): readonly string[] {
  const outcome = isObject(result["outcome"]) ? result["outcome"] : {};
  if (outcome["outcome"] !== "selected") return [String(outcome["outcome"])];
  const option = options.find((candidate) => candidate["optionId"] === outcome["optionId"]);
  if (option === undefined) {
    throw new ScenarioFault("the client selected an option that was not offered", { outcome });
  }
  const kind = String(option["kind"]);
  return [String(outcome["optionId"]), kind, kind.split("_")[0] ?? kind];
}
