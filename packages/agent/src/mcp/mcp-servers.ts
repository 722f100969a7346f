import { finishedWithin } from "@landline/system/finished-within";
import type { McpServer } from "@agentclientprotocol/sdk";
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/client";
import { assignArguments } from "../config/command-arguments.ts";
import { mcpLimits } from "../limits.ts";
import type { Tool } from "../tools/tool.ts";
import { withTimeout } from "./call-tool.ts";
import { Connection } from "./connection.ts";
import { textOfBlocks } from "./convert-result.ts";
import type { McpElicitation } from "./elicitation.ts";
import { resourceTools } from "./resource-tools.ts";
import { toTool } from "./server-tool.ts";
import { ToolNames } from "./tool-names.ts";

/**
 * The MCP servers of one session: connected in the background when it opens, and closed with it. A server
 * that hangs or dies affects only its own tools.
 */
export interface McpServers {
  /** Resolves when every server is ready or has failed, at the latest after `readyMs`. Never throws. */
  ready(signal?: AbortSignal): Promise<unknown>;
  status(): McpStatus[];
  tools(): Tool[];
  /** Prompts of servers, as commands `server:prompt`. */
  prompts(): McpPrompt[];
  /** Instructions of the servers, for the system prompt. */
  instructions(): { server: string; text: string }[];
  onChange(listener: () => void): () => void;
  /** Ends the servers' processes too, within a second. */
  close(): Promise<void>;
}

export interface McpStatus {
  name: string;
  state: "connecting" | "ready" | "failed" | "closed";
  tools: number;
  /** What is wrong and what to do. */
  problem?: string;
}

export interface McpPrompt {
  name: string;
  description: string;
  /** Names of its arguments, for the hint. */
  arguments: string[];
  /** Throws ToolFailure when the server fails, or when an argument is missing. */
  expand(values: string, signal?: AbortSignal): Promise<string>;
}

export interface McpOptions {
  cwd: string;
  /** Further folders of the session, sent to servers that request roots. */
  directories?: readonly string[];
  /** Inherited by servers, without variables that look like secrets; default: the agent's own. */
  environment?: Readonly<Record<string, string | undefined>>;
  elicitation?: McpElicitation;
  /** Overrides of `mcpLimits`. */
  limits?: Partial<Record<"readyMs" | "callMs", number>>;
}

export function openMcpServers(servers: readonly McpServer[], options: McpOptions): McpServers {
  const listeners = new Set<() => void>();
  const onChange = (): void => {
    for (const listener of listeners) listener();
  };
  const connections = uniqueNames(servers).map(
    ([name, server]) =>
      new Connection(name, server, {
        cwd: options.cwd,
        directories: options.directories ?? [],
        environment: options.environment ?? process.env,
        elicitation: options.elicitation ?? null,
        callMs: options.limits?.callMs ?? mcpLimits.callMs,
        onChange,
      }),
  );
  const names = new ToolNames();
  const started = Promise.all(connections.map((connection) => connection.start()));
  return {
    ready: (signal) =>
      finishedWithin(started, options.limits?.readyMs ?? mcpLimits.readyMs, signal),
    status: () => connections.map(toStatus),
    tools: () => [
      ...connections.flatMap((connection) => toolsOf(connection, names)),
      ...resourceTools(connections),
    ],
    prompts: () => connections.flatMap(promptsOf),
    instructions: () =>
      connections.flatMap(({ name, features }) =>
        features.instructions === "" ? [] : [{ server: name, text: features.instructions }],
      ),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      listeners.clear();
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

/** Makes duplicate names unique. */
function uniqueNames(servers: readonly McpServer[]): [string, McpServer][] {
  const taken = new Set<string>();
  return servers.map((server) => {
    let name = server.name;
    for (let count = 2; taken.has(name); count += 1) name = `${server.name}-${count}`;
    taken.add(name);
    return [name, server];
  });
}

function toStatus({ name, state, features, problem }: Connection): McpStatus {
  return { name, state, tools: features.tools.length, ...(problem !== undefined && { problem }) };
}

/** Tools of a lost server stay, because their use reconnects it. */
function toolsOf(connection: Connection, names: ToolNames): Tool[] {
  if (connection.state === "closed") return [];
  return connection.features.tools.flatMap(
    (tool) => toTool(connection, tool, names.nameOf(connection.name, tool.name)) ?? [],
  );
}

function promptsOf(connection: Connection): McpPrompt[] {
  return connection.features.prompts.map((prompt) => ({
    name: `${connection.name}:${prompt.name}`.replaceAll(/\s/g, "-"),
    description: prompt.description ?? prompt.title ?? prompt.name,
    arguments: (prompt.arguments ?? []).map((argument) => argument.name),
    expand: (values, signal) => expandPrompt(connection, prompt, values, signal),
  }));
}

async function expandPrompt(
  connection: Connection,
  prompt: Prompt,
  values: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  const wanted = prompt.arguments ?? [];
  const words = assignArguments(values, wanted.length);
  const missing = wanted.filter(
    (argument, index) => argument.required === true && words[index] === "",
  );
  if (missing.length > 0) {
    const { ToolFailure } = await import("../tools/tool.ts");
    const usage = `/${connection.name}:${prompt.name} ${wanted.map((argument) => `<${argument.name}>`).join(" ")}`;
    throw new ToolFailure(
      "tool-failed",
      `Missing: ${missing.map(({ name }) => name).join(", ")}. Use it as ${usage}`,
    );
  }
  const given = wanted.flatMap(({ name }, index) => (words[index] ? [[name, words[index]]] : []));
  const result: GetPromptResult = await withTimeout(connection, prompt.name, signal, (stop) =>
    connection.use(stop, (client) =>
      client.getPrompt(
        { name: prompt.name, arguments: Object.fromEntries(given) },
        { signal: stop },
      ),
    ),
  );
  return textOfBlocks(result.messages.map((message) => message.content));
}
