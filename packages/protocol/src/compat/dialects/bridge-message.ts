import { z } from "zod";
import { contracts, type Input } from "../../operations/contracts.ts";
import { input } from "../../operations/contract.ts";
import { id } from "../../operations/fields.ts";
import { outcomeSchema } from "../../operations/outcome.ts";
import { readWith } from "../../operations/read.ts";

const open = contracts.open.input.shape;

/** The messages of seed 001's chat: the inputs of operations, some with fewer required fields or another name. */
const bridgeMessageSchema = z.discriminatedUnion("type", [
  input({ type: z.literal("send_message"), ...contracts.prompt.input.shape }),
  input({ type: z.literal("cancel_turn"), ...contracts.cancel.input.shape }),
  input({
    type: z.literal("permission_response"),
    sessionId: id.exactOptional(),
    requestId: id,
    outcome: outcomeSchema,
  }),
  input({ type: z.literal("change_mode"), ...contracts["set-mode"].input.shape }),
  input({ type: z.literal("load_session"), ...contracts.attach.input.shape }),
  input({
    type: z.literal("new_session"),
    ...open,
    agent: open.agent.exactOptional(),
    cwd: open.cwd.exactOptional(),
  }),
]);

/**
 * A message of the chat as an operation and its input. The seed's chat sends no agent, no folder, and no session with
 * a permission answer; the gateway adds them.
 */
export type BridgeCommand =
  | ({ readonly type: "prompt" } & Input<"prompt">)
  | ({ readonly type: "cancel" } & Input<"cancel">)
  | ({ readonly type: "answer" } & Partial<Input<"answer">> & Pick<Input<"answer">, "askId">)
  | ({ readonly type: "set-mode" } & Input<"set-mode">)
  | ({ readonly type: "attach" } & Input<"attach">)
  | ({ readonly type: "open" } & Partial<Input<"open">>);

/** Throws `invalid-params` with the name of the field, even for unknown fields. */
export function readBridgeMessage(sent: unknown): BridgeCommand {
  const { _meta: _, ...message } = readWith(bridgeMessageSchema, sent, "The message");
  switch (message.type) {
    case "send_message":
      return { ...message, type: "prompt" };
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
