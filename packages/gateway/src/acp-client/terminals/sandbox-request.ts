import type { PermissionOption, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { randomUUID } from "node:crypto";
import { sandboxRequest } from "@landline/protocol";
import type { CreatedText, SetAside } from "@landline/sandbox";
import type { Denied } from "./terminal-sandbox.ts";

/** A command in a terminal that the gateway asks about. */
export interface AskedCommand {
  readonly terminalId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** What the agent sets in its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** The tool call that shows the terminal; null when none does. */
  readonly shownBy: { readonly toolCallId: string; readonly title: string | null } | null;
}

/** A request of the gateway's own, for a person alone. */
export interface SandboxRequest {
  readonly toolCall: ToolCallUpdate;
  readonly options: PermissionOption[];
  /** Why no rule allows it, each as a clause. */
  readonly reasons: readonly string[];
}

/** Asks to run a command again, with what its sandbox kept it from. */
export function sandboxRequestFor(stopped: AskedCommand, denied: Denied): SandboxRequest {
  const { terminalId } = stopped;
  const { openings, words: said } = denied;
  return {
    toolCall: {
      ...commandCall(stopped, said.text),
      _meta: {
        [sandboxRequest]: {
          terminalId,
          denied: openings.map(({ kind, what }) => ({ kind, what })),
          opens: said.opens,
        },
      },
    },
    options: said.options.map(({ id, name, kind }) => ({ optionId: id, name, kind })),
    reasons: [
      ...said.clauses,
      ...new Set(openings.flatMap(({ protection }) => protection ?? [])),
      "only a person can let a command out of the sandbox",
    ],
  };
}

/** Who created protected places: a command in a terminal, or the agent itself. */
export interface CreatedBy {
  /** "the command", or the name of the agent. */
  readonly name: string;
  readonly command: AskedCommand | null;
  /** The agent's id of the child session that it was for. */
  readonly child: string | null;
}

/** Asks whether protected places that a confined program created may stay. */
export function createdRequest(
  { places }: SetAside,
  { title, text, reasons, options }: CreatedText,
  { command }: CreatedBy,
): SandboxRequest {
  const paths = places.map(({ path }) => path);
  const call: ToolCallUpdate =
    command === null
      ? {
          toolCallId: `landline-created-${randomUUID()}`,
          title,
          kind: "edit",
          status: "completed",
          locations: paths.map((path) => ({ path })),
          content: [{ type: "content", content: { type: "text", text } }],
        }
      : commandCall(command, text);
  return {
    toolCall: { ...call, _meta: { [sandboxRequest]: { created: paths } } },
    options: options.map(({ id, name, kind }) => ({ optionId: id, name, kind })),
    reasons,
  };
}

function commandCall(asked: AskedCommand, text: string): ToolCallUpdate {
  const { terminalId, command, args, cwd, environment, shownBy } = asked;
  const words = args.length === 0 ? command : [command, ...args];
  const title =
    shownBy === null ? [command, ...args].join(" ").slice(0, titleLength) : shownBy.title;
  return {
    toolCallId: shownBy?.toolCallId ?? `landline-terminal-${terminalId}`,
    ...(title === null ? {} : { title }),
    kind: "execute",
    rawInput: {
      command: words,
      cwd,
      ...(Object.keys(environment).length > 0 && { env: environment }),
    },
    content: [
      { type: "content", content: { type: "text", text } },
      { type: "terminal", terminalId },
    ],
  };
}

const titleLength = 200;
