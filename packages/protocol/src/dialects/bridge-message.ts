import type { ContentBlock } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { type Command, commandFields } from "../commands/command.ts";
import { contentBlocks } from "../commands/content.ts";
import { id } from "../commands/fields.ts";
import { readWith } from "../commands/read.ts";

const { open, prompt, cancel, answer, attach } = commandFields;

/** What seed 001's chat sends, with the fields of ours that may come along. */
const bridgeMessageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("send_message"), ...prompt, promptId: id.exactOptional() }),
  z.object({ type: z.literal("cancel_turn"), ...cancel }),
  z.object({
    type: z.literal("permission_response"),
    sessionId: id.exactOptional(),
    requestId: answer.askId,
    outcome: answer.outcome,
  }),
  z.object({ type: z.literal("change_mode"), ...commandFields["set-mode"] }),
  z.object({
    type: z.literal("load_session"),
    sessionId: attach.sessionId,
    after: attach.after,
  }),
  z.object({
    type: z.literal("new_session"),
    ...open,
    agent: open.agent.exactOptional(),
    cwd: open.cwd.exactOptional(),
  }),
]);

type Opening = Extract<Command, { type: "open" }>;

/**
 * A message of the chat as one of our commands. The seed's chat names no prompt, no agent and no folder,
 * and answers an ask without its session: what is missing here is for the door to fill in.
 */
export type BridgeCommand =
  | {
      readonly type: "prompt";
      readonly sessionId: string;
      readonly promptId?: string;
      readonly content: readonly ContentBlock[];
    }
  | { readonly type: "cancel"; readonly sessionId: string }
  | {
      readonly type: "answer";
      readonly sessionId?: string;
      readonly askId: string;
      readonly outcome: Extract<Command, { type: "answer" }>["outcome"];
    }
  | { readonly type: "set-mode"; readonly sessionId: string; readonly modeId: string }
  | { readonly type: "attach"; readonly sessionId: string; readonly after?: number }
  | ({ readonly type: "open" } & Partial<Omit<Opening, "id" | "type">>);

/** Throws `invalid-params` that names the field. */
export function readBridgeMessage(sent: unknown): BridgeCommand {
  const message = readWith(bridgeMessageSchema, sent, "The message");
  switch (message.type) {
    case "send_message":
      return { ...message, type: "prompt", content: contentBlocks(message.content) };
    case "cancel_turn":
      return { ...message, type: "cancel" };
    case "permission_response": {
      const { requestId: askId, ...rest } = message;
      return { ...rest, type: "answer", askId };
    }
    case "change_mode":
      return { ...message, type: "set-mode" };
    case "load_session":
      return { ...message, type: "attach" };
    default:
      return { ...message, type: "open" };
  }
}
