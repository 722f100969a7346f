import { isObject, type JsonObject } from "./json.ts";
import { GatheringOutput, lineOf } from "./output.ts";
import type { Step } from "./step.ts";
import {
  filled,
  sendUpdate,
  updateMessage,
  type Handlers,
  type StepContext,
} from "./step-context.ts";
import { forEver, waitMs } from "./delays.ts";

type TroubleStep =
  | "silence"
  | "garbage"
  | "bytes"
  | "invalidUtf8"
  | "oversized"
  | "message"
  | "oneWrite"
  | "split";

export const faultSteps: Handlers<TroubleStep> = {
  silence: async (body, context) => {
    const { output } = context.connection;
    output.hold();
    if (body === "forever") await forEver(context.signal);
    else {
      // A cancel ends the step, but not the silence.
      setTimeout(() => {
        output.release();
      }, body);
      await waitMs(body, context.signal);
    }
  },
  garbage: (body, context) => {
    const text = typeof body === "string" ? filled(body, context) : "#".repeat(body.bytes);
    context.output.raw(`${text}\n`);
    return context.output.drained(context.signal);
  },
  bytes: (body, context) => {
    context.output.raw(Buffer.from(body.replaceAll(" ", ""), "hex"));
  },
  invalidUtf8: (body, context) => {
    const [before = "", after = ""] = lineOf(
      updateMessage(context, chunk(`${filled(body, context)}\u0000`)),
    ).split("\\u0000");
    const broken = Buffer.from([0xc3, 0x28]);
    context.output.raw(Buffer.concat([Buffer.from(before), broken, Buffer.from(after)]));
  },
  oversized: (body, context) => {
    const padded = (padding: string) =>
      body.update === undefined
        ? chunk(padding)
        : withPadding(filled(body.update, context), padding);
    const unpadded = Buffer.byteLength(lineOf(updateMessage(context, padded(""))));
    sendUpdate(context, padded("x".repeat(Math.max(0, body.bytes - unpadded))));
    return context.output.drained(context.signal);
  },
  message: (body, context) => {
    context.output.send(filled(body, context));
  },
  oneWrite: async (body, context) => {
    context.output.raw(await gathered(body, context));
  },
  split: async (body, context) => {
    const bytes = await gathered(body.steps, context);
    const cuts = body.at.filter((place) => place > 0 && place < bytes.length).toSorted(ascending);
    const pieces = [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index]));
    await context.output.drained(context.signal);
    await context.connection.output.pieces(pieces, () =>
      waitMs(body.everyMs ?? 20, context.signal),
    );
  },
};

function ascending(left: number, right: number): number {
  return left - right;
}

function chunk(text: string) {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}

function withPadding(update: JsonObject, padding: string): JsonObject {
  const { _meta } = update;
  return { ...update, _meta: { ...(isObject(_meta) ? _meta : {}), padding } };
}

async function gathered(steps: readonly Step[], context: StepContext): Promise<Buffer> {
  const output = new GatheringOutput();
  await context.play(steps, { ...context, output });
  return output.bytes();
}
