import { writeFile } from "node:fs/promises";
import * as path from "node:path";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { Persona } from "../personas/persona.ts";
import type { Traits } from "../personas/traits.ts";
import type { WireMessage } from "../personas/wire.ts";

/** The agent that a scenario is run with, itself or behind a gateway. */
export interface ScenarioAgent {
  /** An empty folder of this run. */
  readonly cwd: string;
  /** Connects one more client, which sends `initialize`. It offers everything, unless its traits are changed. */
  readonly connect: (changes?: Partial<Traits>) => Promise<Persona>;
}

export interface ClientScenario {
  readonly run: (agent: ScenarioAgent) => Promise<void>;
  /** Two sessions work at the same time, so only the order within each of them is defined. */
  readonly isConcurrent?: boolean;
}

/** What a client of ACP does with the agent of `compared-agent.ts`. */
export const clientScenarios: Readonly<Record<string, ClientScenario>> = {
  "a turn": { run: turn("hello") },
  "a turn with tools and a plan": { run: turn("tools") },
  "a turn with images and resources": { run: turn("picture") },
  "a turn with a long text": { run: turn("long") },
  "a turn with usage": { run: turn("usage") },
  "a turn with a notice and a compaction": { run: turn("notice") },
  "a turn that changes the title and the commands": { run: turn("name", "commands", "hello") },
  "turns that end early": { run: turn("limit", "refuse", "requests") },
  "a prompt with an image and a resource": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      await client.agent.request("session/prompt", { sessionId, prompt: richPrompt });
    },
  },
  "a permission that is allowed": { run: permission("allow") },
  "a permission that is allowed always": { run: permission("always") },
  "a permission that is rejected": { run: permission("reject") },
  "a cancelled turn": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      const ended = client.prompt(sessionId, "wait");
      await client.wire.until(says("Waiting."));
      await client.cancel(sessionId);
      await ended;
      await client.prompt(sessionId, "hello");
    },
  },
  "a turn that is cancelled while it asks for permission": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent, { permission: "never" });
      const ended = client.prompt(sessionId, "write");
      await client.wire.until(({ method }) => method === "session/request_permission");
      await client.cancel(sessionId);
      await ended;
      await client.prompt(sessionId, "hello");
    },
  },
  "a prompt whose request is cancelled": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      const controller = new AbortController();
      const prompt: ContentBlock[] = [{ type: "text", text: "sleep" }];
      const ended = client.agent
        .request("session/prompt", { sessionId, prompt }, { cancellationSignal: controller.signal })
        .catch(() => undefined);
      await client.wire.until(says("Sleeping."));
      controller.abort();
      await ended;
      await client.prompt(sessionId, "hello");
    },
  },
  "a loaded session": {
    run: async (agent) => {
      const sessionId = await earlierSession(agent);
      const client = await agent.connect();
      await client.load(sessionId, agent.cwd);
      await untilCommands(client, 1);
      await client.prompt(sessionId, "hello");
    },
  },
  "a loaded session whose turns had ended early": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      await fails(client.prompt(sessionId, "fail"));
      await client.prompt(sessionId, "limit");
      const cancelled = client.prompt(sessionId, "wait");
      await client.wire.until(says("Waiting."));
      await client.cancel(sessionId);
      await cancelled;
      await client[Symbol.asyncDispose]();
      const next = await agent.connect();
      await next.load(sessionId, agent.cwd);
      await untilCommands(next, 1);
    },
  },
  "a loaded session in which a command ran": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      await client.prompt(sessionId, "run");
      await client[Symbol.asyncDispose]();
      const next = await agent.connect();
      await next.load(sessionId, agent.cwd);
      await untilCommands(next, 1);
    },
  },
  "a session that its own client loads": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      await client.prompt(sessionId, "tools");
      await client.load(sessionId, agent.cwd);
      await untilCommands(client, 2);
      await client.prompt(sessionId, "hello");
    },
  },
  "a resumed session": {
    run: async (agent) => {
      const sessionId = await earlierSession(agent);
      const client = await agent.connect();
      const { cwd } = agent;
      await client.agent.request("session/resume", { sessionId, cwd, mcpServers: [] });
      await untilCommands(client, 1);
      await client.prompt(sessionId, "hello");
    },
  },
  "a list of sessions": {
    run: async (agent) => {
      for (const prompt of ["name", "tools", "hello"]) {
        const { client, sessionId } = await opened(agent);
        await client.prompt(sessionId, prompt);
        await client[Symbol.asyncDispose]();
      }
      const client = await agent.connect();
      await listAll(client, agent.cwd);
      await listAll(client, `${agent.cwd}/other`);
    },
  },
  "a fork": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      await client.prompt(sessionId, "tools");
      const fork = await client.fork(sessionId, agent.cwd);
      await untilCommands(client, 2);
      await client.prompt(fork.sessionId, "hello");
      await client.prompt(sessionId, "hello");
      const next = await agent.connect();
      await next.load(fork.sessionId, agent.cwd);
      await untilCommands(next, 1);
    },
  },
  "a session that is closed and loaded again": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      await client.prompt(sessionId, "hello");
      await client.agent.request("session/close", { sessionId });
      await client.load(sessionId, agent.cwd);
      await untilCommands(client, 2);
      await client.prompt(sessionId, "hello");
    },
  },
  "a session that is deleted": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      await client.prompt(sessionId, "hello");
      await client.agent.request("session/delete", { sessionId });
      await fails(client.load(sessionId, agent.cwd));
      await listAll(client, agent.cwd);
    },
  },
  "a mode that the client sets": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      await client.agent.request("session/set_mode", { sessionId, modeId: "code" });
      await client.prompt(sessionId, "hello");
      await client.load(sessionId, agent.cwd);
      await untilCommands(client, 2);
    },
  },
  "a mode that the agent sets": { run: turn("mode", "hello") },
  "options that the client sets": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      const effort = { sessionId, configId: "effort", value: "high" };
      await client.agent.request("session/set_config_option", effort);
      const web = { sessionId, configId: "web", type: "boolean" as const, value: true };
      await client.agent.request("session/set_config_option", web);
      await client.prompt(sessionId, "effort");
    },
  },
  "an option that the agent sets": { run: turn("think harder", "effort") },
  "a question": { run: turn("ask") },
  "a declined question": { run: question("decline") },
  "a cancelled question": { run: question("cancel") },
  "a question on a page": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      client.answerForm = () => ({ action: "accept" });
      await client.prompt(sessionId, "page");
      // Over HTTP it is sent on the stream of the connection, and may arrive after the turn.
      await client.wire.until(says('"elicitation/complete"'));
    },
  },
  "files of the client": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      await writeFile(path.join(agent.cwd, "notes.md"), "saved");
      client.buffers.set(path.join(agent.cwd, "notes.md"), "unsaved");
      await client.prompt(sessionId, "files");
    },
  },
  "a terminal of the client": { run: turn("run") },
  "two sessions": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      await client.prompt(sessionId, "hello");
      const second = await client.open(agent.cwd);
      await untilCommands(client, 2);
      await client.prompt(second.sessionId, "tools");
      await client.prompt(sessionId, "hello");
    },
  },
  "two sessions at the same time": {
    isConcurrent: true,
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      const second = await client.open(agent.cwd);
      await untilCommands(client, 2);
      const waiting = client.prompt(sessionId, "wait");
      await client.wire.until(says("Waiting."));
      await Promise.all([
        client.prompt(second.sessionId, "tools"),
        client.prompt(second.sessionId, "write"),
      ]);
      await client.cancel(sessionId);
      await waiting;
    },
  },
  "errors of the agent": {
    run: async (agent) => {
      const { client, sessionId } = await opened(agent);
      await fails(client.prompt(sessionId, "fail"));
      await fails(client.prompt(sessionId, "overload"));
      await client.prompt(sessionId, "hello");
    },
  },
  "invalid requests": {
    run: async (scenarioAgent) => {
      const { client, sessionId } = await opened(scenarioAgent);
      const { agent } = client;
      const { cwd } = scenarioAgent;
      await fails(client.prompt("unknown", "hello"));
      await fails(client.load("unknown", cwd));
      await fails(agent.request("session/resume", { sessionId: "unknown", cwd, mcpServers: [] }));
      await fails(client.fork("unknown", cwd));
      await fails(agent.request("session/set_mode", { sessionId, modeId: "unknown" }));
      const value = { sessionId, configId: "effort", value: "unknown" };
      await fails(agent.request("session/set_config_option", value));
      await fails(agent.request("session/new", { cwd: "relative", mcpServers: [] }));
      await fails(agent.request("session/unknown", {}));
      await client.prompt(sessionId, "hello");
    },
  },
};

const richPrompt: ContentBlock[] = [
  { type: "text", text: "hello" },
  { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
  { type: "resource_link", name: "notes", uri: "file:///notes.md" },
  { type: "resource", resource: { uri: "file:///notes.md", text: "milk" } },
];

interface Opened {
  readonly client: Persona;
  readonly sessionId: string;
}

async function opened(agent: ScenarioAgent, changes?: Partial<Traits>): Promise<Opened> {
  const client = await agent.connect(changes);
  const { sessionId } = await client.open(agent.cwd);
  await untilCommands(client, 1);
  return { client, sessionId };
}

/** Commands follow the response that opens a session. A prompt that is sent earlier may overtake them. */
async function untilCommands({ wire }: Persona, count: number): Promise<void> {
  const seen = new Set<unknown>();
  await wire.until((message) => {
    if (JSON.stringify(message).includes('"available_commands_update"')) seen.add(message);
    return seen.size === count;
  });
}

function says(words: string): (message: WireMessage["message"]) => boolean {
  return (message) => JSON.stringify(message).includes(words);
}

function turn(...prompts: readonly string[]): ClientScenario["run"] {
  return async (agent) => {
    const { client, sessionId } = await opened(agent);
    for (const prompt of prompts) await client.prompt(sessionId, prompt);
  };
}

function permission(answer: "allow" | "always" | "reject"): ClientScenario["run"] {
  return async (agent) => {
    const { client, sessionId } = await opened(agent);
    client.answerPermission = () => answer;
    await client.prompt(sessionId, "write");
  };
}

function question(action: "decline" | "cancel"): ClientScenario["run"] {
  return async (agent) => {
    const { client, sessionId } = await opened(agent);
    client.answerForm = () => ({ action });
    await client.prompt(sessionId, "ask");
  };
}

/** The session of a client that has left. Its turns have everything that a replay contains. */
async function earlierSession(agent: ScenarioAgent): Promise<string> {
  const { client, sessionId } = await opened(agent);
  client.answerPermission = () => "allow";
  await client.agent.request("session/prompt", { sessionId, prompt: richPrompt });
  for (const prompt of ["name", "tools", "picture", "write", "long", "notice", "usage"])
    await client.prompt(sessionId, prompt);
  await client[Symbol.asyncDispose]();
  return sessionId;
}

async function listAll({ agent }: Persona, cwd: string): Promise<void> {
  let cursor: string | null | undefined;
  do {
    const page: { nextCursor?: string | null } = await agent.request("session/list", {
      cwd,
      ...(typeof cursor === "string" && { cursor }),
    });
    cursor = page.nextCursor;
  } while (typeof cursor === "string");
}

async function fails(request: Promise<unknown>): Promise<void> {
  const result = await request.catch(() => null);
  if (result !== null) throw new Error(`The request has a result: ${JSON.stringify(result)}`);
}
