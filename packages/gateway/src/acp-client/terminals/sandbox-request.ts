import type { PermissionOption, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { sandboxRequest } from "@landline/protocol";
import type { Denied } from "./terminal-sandbox.ts";

/** A command that its sandbox stopped. */
export interface StoppedCommand {
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
export function sandboxRequestFor(stopped: StoppedCommand, denied: Denied): SandboxRequest {
  const { terminalId, command, args, cwd, environment, shownBy } = stopped;
  const { openings, words: said } = denied;
  const words = args.length === 0 ? command : [command, ...args];
  const title =
    shownBy === null ? [command, ...args].join(" ").slice(0, titleLength) : shownBy.title;
  return {
    toolCall: {
      toolCallId: shownBy?.toolCallId ?? `landline-terminal-${terminalId}`,
      ...(title === null ? {} : { title }),
      kind: "execute",
      rawInput: {
        command: words,
        cwd,
        ...(Object.keys(environment).length > 0 && { env: environment }),
      },
      content: [
        { type: "content", content: { type: "text", text: said.text } },
        { type: "terminal", terminalId },
      ],
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

const titleLength = 200;
