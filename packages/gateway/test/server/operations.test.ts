import {
  operationNames,
  roles,
  routeOf,
  rowOf,
  type OperationName,
  type Output,
} from "@landline/protocol";
import { contracts, shapes, type Contract } from "@landline/protocol/operations";
import { scriptedAgentCommand, shippedScenario } from "@landline/testing";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { model, modes } from "../sessions/agent-options.ts";
import { Watcher } from "../sessions/scripted-gateway.ts";
import type { TestClient } from "./socket-client.ts";
import { LoggedSession, TestGateway } from "./test-gateway.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Refusal {
  readonly code: string;
}

const scenario = {
  initialize: { agentCapabilities: { sessionCapabilities: { list: {} } } },
  session: { modes, configOptions: [model] },
  turns: [
    { match: "wait", steps: [{ say: "Working." }], end: "never" },
    {
      match: "ask",
      steps: [
        { tool: { toolCallId: "1", title: "ls", kind: "execute", rawInput: { command: "ls" } } },
        { permission: { toolCall: { toolCallId: "1" } } },
        { toolUpdate: { toolCallId: "1", status: "completed" } },
        { say: "done with it" },
      ],
    },
  ],
};

let gateway: TestGateway;
let document: Fields;
let ajv: Ajv2020;

beforeAll(async () => {
  const guarded = { id: "guarded", ...scriptedAgentCommand(shippedScenario("sign-in")) };
  const limits = { requestsPerMinute: 100_000, errorRepliesPerMinute: 100_000 };
  gateway = await TestGateway.start({ scenario, limits, agents: [guarded], trace: true });
  document = (await (await gateway.ask("/api/openapi.json")).json()) as Fields;
  ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema(document, "api");
});
afterAll(() => gateway[Symbol.asyncDispose]());

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** An operation as the HTTP request that calls it. */
function requestOf(name: OperationName, input: Fields, more: string[] = []): Sent {
  const { method, path, query, pathFields } = routeOf(name);
  const rest = Object.entries(input).filter(([field]) => !pathFields.includes(field));
  const hasBody = method === "POST" || method === "PATCH";
  const pairs = [...query, ...(hasBody ? [] : rest)].map(
    ([field, value]) => `${field}=${encodeURIComponent(String(value))}`,
  );
  const filled = path.replaceAll(/:(\w+)/g, (_, field: string) =>
    encodeURIComponent(String(input[field])),
  );
  const address = `${filled}?${[...pairs, ...more].join("&")}`;
  return { method, path: address, ...(hasBody && { body: Object.fromEntries(rest) }) };
}

/** Fails if the value does not match the schema at this place of the OpenAPI document. */
function checkAgainst(pointer: string, value: unknown): void {
  const validate = ajv.compile({ $ref: `api#${pointer}` });
  expect(validate(value) ? [] : validate.errors).toEqual([]);
}

const escaped = (part: string) => encodeURIComponent(part.replaceAll("/", "~1"));

/** Calls operations, and validates each response against its contract and the OpenAPI document. */
class Caller {
  readonly called = new Set<OperationName>();
  readonly #client: TestClient;
  readonly #via: "http" | "socket";

  constructor(client: TestClient, via: "http" | "socket") {
    this.#client = client;
    this.#via = via;
  }

  async call<Name extends OperationName>(name: Name, input: Fields = {}): Promise<Output<Name>> {
    const { http, socket = false } = rowOf(name);
    const isSocket = http === null || (socket && this.#via === "socket");
    const output = isSocket ? await this.#command(name, input) : await this.#request(name, input);
    this.called.add(name);
    return output as Output<Name>;
  }

  async #command(name: OperationName, input: Fields): Promise<unknown> {
    const { result, error } = await this.#client.ask(name, input);
    if (error !== undefined) throw error as Error;
    const { output }: Contract = contracts[name];
    expect([name, output ? output.parse(result) : {}]).toEqual([name, result]);
    return result;
  }

  async #request(name: OperationName, input: Fields): Promise<unknown> {
    const { path, ...sent } = requestOf(name, input);
    const headers = { accept: "application/json" };
    const answer = await gateway.ask(path, { ...sent, headers });
    const { output, media = ["application/json"], ...contract }: Contract = contracts[name];
    const status = contract.status ?? 200;
    if (!answer.ok) {
      const error = (await answer.json()) as Refusal;
      checkAgainst("/components/schemas/Problem", error);
      throw error as unknown as Error;
    }
    expect([name, answer.status]).toEqual([name, output === null ? 204 : status]);
    if (output === null) return {};
    expect(answer.headers.get("content-type")).toContain(media[0]);
    if (media[0] !== "application/json") return output.parse(await answer.text());
    const json: unknown = await answer.json();
    expect([name, output.parse(json)]).toEqual([name, json]);
    const { method, path: route } = routeOf(name);
    const place = ["paths", route.replaceAll(/:(\w+)/g, "{$1}"), method.toLowerCase()];
    const inAnswer = ["responses", String(status), "content", "application/json", "schema"];
    checkAgainst(`/${[...place, ...inAnswer].map(escaped).join("/")}`, json);
    return json;
  }
}

describe.each(["http", "socket"] as const)("over %s", (via) => {
  test("every operation returns what its contract and the OpenAPI document say", async () => {
    const client = await gateway.connect({ token: "admin" });
    const caller = new Caller(client, via);
    const call = caller.call.bind(caller);
    await aboutTheGateway(call);
    await aboutSessions(call);
    await aboutSigningIn(call, client);
    await aboutAccess(call);
    expect([...caller.called].toSorted()).toEqual(operationNames.toSorted());
    for (const frame of client.frames) {
      expect(shapes.GatewayFrame.parse(frame)).toEqual(frame);
      checkAgainst("/components/schemas/GatewayFrame", frame);
    }
    for (const type of ["reply", "attached", "events", "sessions", "agents", "people", "terminal"])
      expect(client.types()).toContain(type);
  });
});

type Call = Caller["call"];

async function aboutTheGateway(call: Call): Promise<void> {
  for (const name of ["health", "read-features", "read-openapi", "read-metrics"] as const)
    await call(name);
  await call("read-me");
  await call("list-agents");
  await call("list-folders", { path: gateway.project });
  const rule = { decision: "deny", what: { commandPrefix: "rm" }, where: { in: "everywhere" } };
  await call("preview-rule", rule);
  const { id } = await call("add-rule", rule);
  await call("list-rules");
  await call("remove-rule", { id });
  await call("acknowledge-rules-damage");
}

async function aboutSessions(call: Call): Promise<void> {
  const { sessionId } = await call("open", { agent: "scripted", cwd: gateway.project });
  await call("list-agent-sessions", { agent: "scripted" });
  const session = new LoggedSession(await gateway.sessions.get(sessionId));
  using watcher = new Watcher(session.session);
  await call("attach", { sessionId });
  await call("prompt", { sessionId, content: "ask" });
  const { askId } = await watcher.until("ask-opened");
  await call("suggest-rules", { sessionId, askId });
  await call("prompt", { sessionId, promptId: "p", content: "wait" });
  await call("change-prompt", { sessionId, promptId: "p", before: null });
  await call("withdraw-prompt", { sessionId, promptId: "p" });
  await call("answer", { sessionId, askId, optionId: "allow" });
  const { seq } = await watcher.until("turn-ended");
  await call("set-mode", { sessionId, modeId: "code" });
  await call("set-config", { sessionId, configId: "model", value: "large", remember: true });
  await call("forget-choices", { agent: "scripted" });
  await call("prompt", { sessionId, content: "wait" });
  await watcher.until("update", () => true, seq);
  await call("cancel", { sessionId });
  await watcher.until("turn-ended", () => true, seq);
  session.says("long ".repeat(100_000));
  await call("rename", { sessionId, title: "Renamed" });
  await call("list-sessions");
  for (const name of ["read-session", "read-events", "export", "read-trace"] as const)
    await call(name, { sessionId });
  await call("search", { q: "done" });
  await call("audit", { session: sessionId });
  const [, hash] = /"\$blob":"([0-9a-f]{64})"/.exec(JSON.stringify(watcher.events)) ?? [];
  await call("read-blob", { session: sessionId, hash });
  await call("find-files", { session: sessionId });
  const forked = await call("fork", { sessionId });
  await call("detach", { sessionId });
  await call("close", { sessionId });
  await call("delete", { sessionId: forked.sessionId });
}

async function aboutSigningIn(call: Call, client: TestClient): Promise<void> {
  const agent = "guarded";
  await call("list-sign-in-methods", { agent });
  const progress = async (field: "questionId" | "terminalId"): Promise<string> => {
    for (;;) {
      const frame = client.frames.findLast(({ type }) => type === "agents");
      const { agents } = (frame ?? { agents: [] }) as unknown as Output<"list-agents">;
      const found = agents.find(({ id }) => id === agent)?.progress?.[field];
      if (found !== undefined) return found;
      await client.nextFrame();
    }
  };
  const signedIn = call("sign-in", { agent, methodId: "key" });
  const questionId = await progress("questionId");
  const outcome = { action: "accept", content: { provider: "first", key: "long enough" } };
  await call("answer-sign-in", { agent, questionId, outcome });
  await signedIn;
  await call("sign-out", { agent });
  const cancelled = call("sign-in", { agent, methodId: "login" }).catch((error: Refusal) => error);
  const terminalId = await progress("terminalId");
  await call("terminal-attach", { terminalId });
  await client.until(({ type }) => type === "terminal");
  await call("read-terminal", { terminalId });
  await call("terminal-input", { terminalId, text: "1" });
  await call("terminal-resize", { terminalId, columns: 100, rows: 40 });
  await call("terminal-detach", { terminalId });
  await call("cancel-sign-in", { agent });
  expect(await cancelled).toHaveProperty("code");
}

async function aboutAccess(call: Call): Promise<void> {
  const { id } = await call("add-device", { name: "Phone", role: "watch" });
  await call("list-devices");
  await call("remove-device", { id });
  await call("add-link");
  await call("add-ticket", { address: "/api/sessions/x/export?format=json" });
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const pair = await crypto.subtle.generateKey(algorithm, false, ["sign"]);
  const spki = await crypto.subtle.exportKey("spki", pair.publicKey);
  const publicKey = Buffer.from(spki).toString("base64url");
  const { keyId } = await call("register-key", { publicKey });
  const { challenge } = await call("request-challenge");
  const origin = gateway.url;
  const text = new TextEncoder().encode(`landline access\n${origin}\n${keyId}\n${challenge}`);
  const bytes = await crypto.subtle.sign(algorithm, pair.privateKey, text);
  const signature = Buffer.from(bytes).toString("base64url");
  await call("request-token", { keyId, challenge, origin, signature });
}

/** Valid inputs of each operation, except for its path parameters. */
const inputs: { readonly [Name in OperationName]?: Fields } = {
  "sign-in": { methodId: "m" },
  "answer-sign-in": { outcome: { action: "cancel" } },
  "terminal-input": { text: "x" },
  "terminal-resize": { columns: 80, rows: 24 },
  open: { agent: "scripted", cwd: "/" },
  rename: { title: "x" },
  "set-mode": { modeId: "m" },
  "set-config": { configId: "c", value: "v" },
  prompt: { content: "x" },
  "change-prompt": { content: "x" },
  answer: { optionId: "x" },
  search: { q: "x" },
  "read-blob": { session: "none" },
  "add-rule": { decision: "deny", what: { host: "x.org" }, where: { in: "everywhere" } },
  "preview-rule": { decision: "deny", what: { host: "x.org" }, where: { in: "everywhere" } },
  "add-device": { name: "x", role: "watch" },
  "add-ticket": { address: "/api/sessions/x/export" },
  "request-token": { keyId: "k", challenge: "c", origin: "o", signature: "s" },
};

function inputFor(name: OperationName): Fields {
  const { http } = rowOf(name);
  if (http === null)
    return name.startsWith("terminal-") ? { terminalId: "none" } : { sessionId: "none" };
  const pathFields = [...http.matchAll(/:(\w+)/g)].map(([, field = ""]) => [field, "none"]);
  return { ...Object.fromEntries(pathFields), ...inputs[name] };
}

const commands = operationNames.filter((name) => rowOf(name).socket);

describe("every command over WebSocket", () => {
  const acting = commands.filter((name) => rowOf(name).role !== "watch");
  it.each(acting)("%s is refused to the roles below its own", async (name) => {
    const below = roles.slice(
      0,
      roles.findIndex((role) => role === rowOf(name).role),
    );
    expect(below).not.toEqual([]);
    for (const role of below) {
      const client = await gateway.connect({ token: role });
      const { error } = await client.ask(name, inputFor(name));
      client.leave();
      expect(error).toMatchObject({ code: "forbidden", needed: rowOf(name).role });
    }
  });
});

describe("an unknown field is refused, without any effect", () => {
  const refusal = { code: "invalid-params", field: "surplus" };
  const overHttp = operationNames.filter((name) => rowOf(name).http !== null);

  it.each(overHttp)("by %s in the query", async (name) => {
    for (const surplus of ["surplus=1", "surplus="]) {
      const { path, ...sent } = requestOf(name, inputFor(name), [surplus]);
      expect(await (await gateway.ask(path, sent)).json()).toMatchObject(refusal);
    }
  });

  const withBody = overHttp.filter((name) => /^(?:POST|PATCH)/.test(rowOf(name).http ?? ""));
  it.each(withBody)("by %s in the body", async (name) => {
    const { path, body, ...sent } = requestOf(name, inputFor(name));
    const answer = await gateway.ask(path, { ...sent, body: { ...body, surplus: 1 } });
    expect(await answer.json()).toMatchObject(refusal);
  });

  it.each(commands)("by %s over WebSocket", async (name) => {
    const client = await gateway.connect({ token: "admin" });
    const { error } = await client.ask(name, { ...inputFor(name), surplus: 1 });
    client.leave();
    expect(error).toMatchObject(refusal);
  });
});
