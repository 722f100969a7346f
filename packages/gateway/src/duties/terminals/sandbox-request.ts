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

export const outsideOnce = "outside-once";
export const inSession = "allow-in-session";

/** Asks to run a command again, with what its sandbox kept it from. */
export function sandboxRequestFor(stopped: StoppedCommand, denied: Denied): SandboxRequest {
  const { terminalId, command, args, cwd, environment, shownBy } = stopped;
  const { openings } = denied;
  const things = openings.map(({ what }) => visible(what));
  const protections = openings.flatMap(({ protection }) => protection ?? []);
  const why = Array.from(new Set(protections), visible);
  const words = args.length === 0 ? command : [command, ...args];
  const title =
    shownBy === null ? [command, ...args].join(" ").slice(0, titleLength) : shownBy.title;
  const text = [
    `The sandbox kept it from ${things.join(" and ")}.`,
    ...why.map((reason) => `Note that ${reason}.`),
    "If you allow it, the command runs again from its beginning.",
  ].join(" ");
  const always = alwaysOption(denied);
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
        { type: "content", content: { type: "text", text } },
        { type: "terminal", terminalId },
      ],
      _meta: {
        [sandboxRequest]: {
          terminalId,
          denied: openings.map(({ kind, target }) => ({ kind, target })),
        },
      },
    },
    options: [
      { optionId: outsideOnce, name: "Run outside the sandbox once", kind: "allow_once" },
      ...(always === null ? [] : [always]),
      { optionId: "reject", name: "Reject", kind: "reject_once" },
    ],
    reasons: [
      ...things.map((what) => `the sandbox kept it from ${what}`),
      ...why,
      "only a person can let a command out of the sandbox",
    ],
  };
}

const titleLength = 200;

/** Credentials and protected places are asked about each time. */
function alwaysOption({ inSession: what }: Denied): PermissionOption | null {
  if (what === null) return null;
  const name = `Allow ${visible(what)} in this session`;
  return { optionId: inSession, name, kind: "allow_always" };
}

/** A program chose the text: what cannot be seen would make it read as another. */
function visible(text: string): string {
  return text.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
