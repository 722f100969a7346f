import type { McpServer } from "@agentclientprotocol/sdk";
import type { ModelRequest, Reply, ReplyPart } from "@landline/testing";
import type { AcpUser } from "./acp-user.ts";
import type { Repository } from "./repository.ts";

/** The scripted model's answer to one request. */
export type Line = Reply | string | ((request: ModelRequest) => Reply | string);

/** A task in a small repository, and its expected outcome. */
export interface Task {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly mcpServers?: McpServer[];
  /** Added to the agent's configuration. */
  readonly config?: object;
  /** What the user does. Prompts must work with a real model too. The result is passed to `outcome`. */
  act(user: AcpUser, repository: Repository): Promise<unknown>;
  /** Checks that apply to any model. */
  outcome(done: Done): Promise<void>;
  readonly script: Script;
}

export interface Script {
  /** One line per request, in order; requests without tools (titles) use none. */
  readonly lines: readonly Line[];
  /** The text of a conversation summary. */
  readonly summary?: string;
  /** `provider/model`; the provider is the scripted server. */
  readonly model?: "scripted/scripted-1" | "openai/gpt-5.2";
  readonly contextTokens?: number;
  /** Checks that apply to the scripted model. */
  transcript(played: TaskRun): void | Promise<void>;
}

export interface Done {
  readonly acted: unknown;
  readonly user: AcpUser;
  readonly repository: Repository;
}

export interface TaskRun extends Done {
  /** The requests to the model in the conversation; one per line of the script. */
  readonly requests: readonly ModelRequest[];
}

/** An answer that calls tools, in parallel if there are several. */
export function calls(...made: (readonly [name: string, input: Record<string, unknown>])[]): Reply {
  return { parts: made.map(([name, input]) => callPart(name, input)) };
}

function callPart(name: string, input: Record<string, unknown>): ReplyPart {
  return { type: "tool-call", name, arguments: JSON.stringify(input) };
}

/** The results of the last tool calls, as one text. */
export function results(request: ModelRequest): string {
  return request.toolResults.map(({ text }) => text).join("\n");
}
