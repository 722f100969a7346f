import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { CreateElicitationRequest, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { LandlineError } from "@landline/protocol";
import { scriptedAgentCommand } from "@landline/testing";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentRequest } from "../../src/acp-connection/agent-request.ts";
import { AgentConnection } from "../../src/acp-connection/connection.ts";
import { anyRule } from "./corpus/any-rule.ts";
import type { UserRequests } from "../../src/acp-client/permissions/user-requests.ts";
import { selected, usePermissions } from "./use-permissions.ts";

const says = (...words: readonly string[]) =>
  Object.fromEntries(words.map((word) => [word, [{ say: word }]]));

const permission = (command: string, more: object = {}) => {
  const rawInput = { command };
  const toolCall = { toolCallId: "call-1", kind: "execute", title: command, rawInput };
  return { permission: { toolCall, on: says("allow", "reject", "cancelled"), ...more } };
};

const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const url = { message: "Sign in", url: "https://example.com", elicitationId: "e-1" };
const cancelled = { method: "$/cancel_request", params: { requestId: "{{lastRequestId}}" } };

const scenario = {
  about: "Asks in every way.",
  turns: [
    { match: "test", steps: [permission("npm test")] },
    { match: "sneak", steps: [permission("npm test; rm -rf x")] },
    { match: "withdraw", steps: [permission("npm test", { wait: false }), { notify: cancelled }] },
    {
      match: "form",
      steps: [
        {
          ask: {
            message: "Which?",
            requestedSchema: schema,
            save: "choice",
            on: { ...says("decline", "cancel"), accept: [{ say: "{{choice.content.name}}" }] },
          },
        },
      ],
    },
    { match: "page", steps: [{ ask: { ...url, wait: false } }, { askDone: "e-1" }] },
  ],
};

const place = usePermissions();
let child: ChildProcessByStdio<Writable, Readable, null> | undefined;

afterEach(async () => {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
});

/** Does what a session does with an agent's requests. */
function handle(asks: UserRequests, request: AgentRequest): void {
  const answer =
    request.method === "elicitation/create"
      ? asks.question(
          request.params as unknown as CreateElicitationRequest,
          undefined,
          request.signal,
        )
      : asks.permission(
          request.params as unknown as RequestPermissionRequest,
          undefined,
          request.signal,
        );
  answer.then(
    (result) => request.answer(result),
    (error: LandlineError) => request.fail(error),
  );
}

async function startAgent() {
  const path = join(place.folder, "scenario.json");
  await writeFile(path, JSON.stringify(scenario));
  const { command, args } = scriptedAgentCommand(path);
  const started = spawn(command, ["--conditions=@landline/source", ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child = started;
  const { asks, events, lastId } = place.desk();
  let said = "";
  const connection = new AgentConnection(started.stdout, started.stdin, {
    update: ({ update }) => {
      const { content } = update as { content?: { text?: string } };
      said += content?.text ?? "";
    },
    notification: (method, params) => {
      const { elicitationId } = params as { elicitationId: string };
      if (method === "elicitation/complete") asks.complete(elicitationId);
    },
    request: (request) => handle(asks, request),
    noise: () => {},
    flush: () => {},
    closed: () => {},
  });
  const call = async (method: string, params: unknown) => {
    const { promise, resolve } = Promise.withResolvers<{ result?: unknown; error?: unknown }>();
    connection.call(method, params, {}, resolve);
    return promise;
  };
  const elicitation = { form: {}, url: {} };
  await call("initialize", { protocolVersion: 1, clientCapabilities: { elicitation } });
  const { result } = await call("session/new", { cwd: place.folder, mcpServers: [] });
  const { sessionId } = result as { sessionId: string };
  return {
    asks,
    events,
    lastId,
    process: started,
    prompt: async (text: string) => {
      await call("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
      return said;
    },
    opened: async () => {
      await expect.poll(() => asks.open).toHaveLength(1);
    },
    settledBy: () => events.filter((event) => event.kind === "ask-settled").map(({ by }) => by),
  };
}

describe("a real agent", () => {
  it("continues with the option that a person chose", async () => {
    const agent = await startAgent();
    const turn = agent.prompt("test");
    await agent.opened();
    const [opened] = agent.events;
    const options = opened?.kind === "ask-opened" && opened.ask === "permission" && opened.options;
    const reject = options && options.find(({ kind }) => kind === "reject_once");
    expect(reject).toBeTruthy();
    agent.asks.answer(agent.lastId(), selected(reject ? reject.optionId : ""), "client-1");
    expect(await turn).toBe("reject");
    expect(agent.settledBy()).toEqual([{ client: "client-1" }]);
  });

  it("continues by a rule without a person, and asks about calls that the rule does not cover", async () => {
    const rule = await place.rules.add(anyRule({ what: { commandPrefix: "npm test" } }));
    const agent = await startAgent();
    expect(await agent.prompt("test")).toBe("allow");
    expect(agent.settledBy()).toEqual([{ rule: rule.id }]);
    const turn = agent.prompt("sneak");
    await agent.opened();
    agent.asks.settleAll("turn-cancelled");
    expect(await turn).toBe("allowcancelled");
    expect(agent.settledBy().at(-1)).toEqual({ gateway: "turn-cancelled" });
  });

  it("may withdraw a permission request", async () => {
    const agent = await startAgent();
    await agent.prompt("withdraw");
    await expect.poll(() => agent.settledBy()).toEqual([{ gateway: "withdrawn" }]);
  });

  it("leaves no open request when it is killed", async () => {
    const agent = await startAgent();
    const turn = agent.prompt("test");
    await agent.opened();
    agent.process.kill("SIGKILL");
    await turn;
    expect(agent.settledBy()).toEqual([{ gateway: "agent-gone" }]);
    expect(agent.asks.open).toEqual([]);
  });

  it("receives the content of an answered form", async () => {
    const agent = await startAgent();
    const turn = agent.prompt("form");
    await agent.opened();
    const askId = agent.lastId();
    const fill = (content: Record<string, string>) =>
      agent.asks.answer(askId, { action: "accept", content }, "client-1");
    expect(() => fill({})).toThrow(LandlineError);
    fill({ name: "the second" });
    expect(await turn).toBe("the second");
  });

  it("reports that a page was completed", async () => {
    const agent = await startAgent();
    await agent.prompt("page");
    await expect.poll(() => agent.settledBy()).toEqual([{ gateway: "completed" }]);
  });
});
