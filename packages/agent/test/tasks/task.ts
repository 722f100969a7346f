import type { McpServer } from "@agentclientprotocol/sdk";
import type { ModelRequest, Reply, ReplyPart } from "@landline/testing";
import type { Person } from "./acp-user.ts";
import type { Repository } from "./repository.ts";

/** What the scripted model says to one request of the conversation. */
export type Line = Reply | string | ((request: ModelRequest) => Reply | string);

/** Somebody's wish in a small repository, and what has to come of it. */
export interface Task {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly mcpServers?: McpServer[];
  /** Added to the agent's configuration. */
  readonly config?: object;
  /** What the person does. The words must do for a real model too. What it returns, `outcome` may look at. */
  act(person: Person, repository: Repository): Promise<unknown>;
  /** Holds whichever model did the work. */
  outcome(done: Done): Promise<void>;
  readonly script: Script;
}

export interface Script {
  /** One line a request, in order; requests without tools (titles) take none. */
  readonly lines: readonly Line[];
  /** What a summary of the conversation says. */
  readonly summary?: string;
  /** `provider/model`; the provider is the scripted server. */
  readonly model?: "scripted/scripted-1" | "openai/gpt-5.2";
  readonly contextTokens?: number;
  /** Holds when the script was played. */
  transcript(played: Played): void | Promise<void>;
}

export interface Done {
  readonly acted: unknown;
  readonly person: Person;
  readonly repository: Repository;
}

export interface Played extends Done {
  /** What the model was asked in the conversation; one a line of the script. */
  readonly requests: readonly ModelRequest[];
}

/** An answer that calls tools, side by side when there are several. */
export function calls(...made: (readonly [name: string, input: Record<string, unknown>])[]): Reply {
  return { parts: made.map(([name, input]) => callPart(name, input)) };
}

function callPart(name: string, input: Record<string, unknown>): ReplyPart {
  return { type: "tool-call", name, arguments: JSON.stringify(input) };
}

/** What the tools answered that the model called last, in one text. */
export function results(request: ModelRequest): string {
  return request.toolResults.map(({ text }) => text).join("\n");
}
