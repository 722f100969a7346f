import type { ContentBlock } from "@agentclientprotocol/sdk";
import { randomUUIDv7 } from "node:crypto";
import type { CommandDefinition } from "../config/config.ts";
import type { McpPrompt } from "../mcp/mcp-servers.ts";
import { runBuiltInCommand } from "./built-in-commands.ts";
import { unlessAborted } from "@landline/system/unless-aborted";
import { runCalls } from "./run-tool-calls.ts";
import { builtIns } from "./available-commands.ts";
import type { UserPart } from "./record.ts";
import type { Session } from "./session.ts";
import type { StopReason } from "./turn.ts";

/** The result of parsing a prompt that may be a command. */
export type CommandResult =
  /** A built-in command, already done. */
  | { kind: "done"; stopReason: StopReason }
  /** A command that expands to a prompt. */
  | { kind: "expanded"; parts: UserPart[]; mode?: string; model?: string; subagent?: Subtask }
  /** An ordinary prompt, or an unknown command: a path may begin with a slash. */
  | { kind: "none" };

export interface Subtask {
  type: string;
  description: string;
  prompt: string;
}

export async function readCommand(
  session: Session,
  promptId: string,
  content: ContentBlock[],
  signal: AbortSignal,
): Promise<CommandResult> {
  // A subagent's prompt is written by a model, which must not run the user's commands.
  if (session.parts.parent) return { kind: "none" };
  const [first, ...others] = content;
  const named = first?.type === "text" ? /^\/(\S+)\s*([^]*)$/u.exec(first.text.trim()) : null;
  if (!named) return { kind: "none" };
  const [, name = "", values = ""] = named;
  if (builtIns.some((command) => command.name === name)) {
    session.append({ kind: "prompt-sent", promptId, content, parts: [] });
    await runBuiltInCommand(session, promptId, name, values.trim(), signal);
    return { kind: "done", stopReason: signal.aborted ? "cancelled" : "end_turn" };
  }
  const rest = others.length === 0 ? [] : await session.parts.readPrompt(content, signal, 1);
  const definition = session.parts.project.config.commands.find((command) => command.name === name);
  if (definition) return expandDefinition(session, definition, values, rest, signal);
  const prompt = session.parts.mcp.prompts().find((each) => each.name === name);
  if (prompt) return expandPrompt(prompt, values, rest, signal);
  return { kind: "none" };
}

async function expandDefinition(
  session: Session,
  definition: CommandDefinition,
  values: string,
  rest: UserPart[],
  signal: AbortSignal,
): Promise<CommandResult> {
  const text = await session.parts.expandCommand(definition, values, signal);
  const parts: UserPart[] = [{ type: "text", text }, ...rest];
  const { agents } = session.parts.project.config;
  const agent = agents.find((each) => each.id === definition.agent);
  const model = definition.model === undefined ? {} : { model: definition.model };
  if (definition.subtask || agent?.role === "subagent") {
    const type = agent === undefined || agent.role === "primary" ? "general" : agent.id;
    const description = definition.description || `/${definition.name}`;
    return { kind: "expanded", parts, ...model, subagent: { type, description, prompt: text } };
  }
  return { kind: "expanded", parts, ...model, ...(agent && { mode: agent.id }) };
}

async function expandPrompt(
  prompt: McpPrompt,
  values: string,
  rest: UserPart[],
  signal: AbortSignal,
): Promise<CommandResult> {
  const text = await unlessAborted(prompt.expand(values), signal);
  return { kind: "expanded", parts: [{ type: "text", text }, ...rest] };
}

/** Runs a command as a `task` call made by the user. The model then reads its result. */
export async function runSubtask(
  session: Session,
  promptId: string,
  subtask: Subtask,
  signal: AbortSignal,
): Promise<void> {
  const plan = await session.planStep();
  const input = {
    description: subtask.description,
    prompt: subtask.prompt,
    subagent_type: subtask.type,
  };
  const stepId = randomUUIDv7();
  const callId = session.callIds.claim(`command-${stepId}`);
  const view = { title: subtask.description, kind: "think" as const, locations: [], content: [] };
  const call = { callId, tool: "task", input, view, problem: null };
  // The model id is empty because no model made this step.
  session.append({ kind: "step-started", stepId, promptId, modelId: "" });
  session.append({ kind: "tool-called", stepId, callId, tool: "task", input, view });
  session.append({ kind: "step-ended", stepId, finish: "tool-calls" });
  await runCalls(session, { promptId, tools: plan.tools, calls: [call], signal });
}
