import type { ContentBlock } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { contracts, type Input } from "../../operations/contracts.ts";
import { contentBlocks } from "../../operations/content.ts";
import { id } from "../../operations/fields.ts";
import { outcomeSchema } from "../../operations/outcome.ts";
import { readWith } from "../../operations/read.ts";

const open = contracts.open.input.shape;
const answer = contracts.answer.input.shape;
const attach = contracts.attach.input.shape;

/** What seed 001's chat sends, with the fields of ours that may come along. */
const bridgeMessageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("send_message"), ...contracts.prompt.input.shape }),
  z.object({ type: z.literal("cancel_turn"), ...contracts.cancel.input.shape }),
  z.object({
    type: z.literal("permission_response"),
    sessionId: id.exactOptional(),
    requestId: answer.askId,
    outcome: outcomeSchema,
  }),
  z.object({ type: z.literal("change_mode"), ...contracts["set-mode"].input.shape }),
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

type Opening = Input<"open">;

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
      readonly outcome: z.output<typeof outcomeSchema>;
    }
  | { readonly type: "set-mode"; readonly sessionId: string; readonly modeId: string }
  | { readonly type: "attach"; readonly sessionId: string; readonly after?: number }
  | ({ readonly type: "open" } & Partial<Opening>);

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
