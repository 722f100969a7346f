import { z } from "zod";
import { commandFields } from "./command.ts";
import { deviceName, id } from "./fields.ts";
import { readWith } from "./read.ts";

/**
 * The bodies of HTTP requests, named for the command that each is: the same fields, without those that
 * stand in the path.
 */
export const bodySchemas = {
  open: z.object(commandFields.open),
  /** Without a `promptId` the gateway makes one; then a repeat can't be told from a new prompt. */
  prompt: z.object({
    promptId: id.exactOptional(),
    content: commandFields.prompt.content,
  }),
  /** Says other words, or moves it: one thing at a time. */
  "change-prompt": z
    .object({
      content: commandFields["change-prompt"].content.exactOptional(),
      before: commandFields["move-prompt"].before.exactOptional(),
    })
    .refine(
      ({ content, before }) => (content === undefined) !== (before === undefined),
      "must have content or before, and not both",
    ),
  answer: z.union([
    z.object({ outcome: commandFields.answer.outcome, note: commandFields.answer.note }),
    z.object({ optionId: id, note: commandFields.answer.note }),
  ]),
  "set-mode": z.object({ modeId: commandFields["set-mode"].modeId }),
  "set-config": z.object({
    configId: commandFields["set-config"].configId,
    value: commandFields["set-config"].value,
    remember: commandFields["set-config"].remember,
  }),
  rename: z.object({ title: commandFields.rename.title }),
  "sign-in": z.object({ methodId: commandFields["sign-in"].methodId }),
  "answer-sign-in": z.object({
    outcome: commandFields["answer-sign-in"].outcome,
    questionId: commandFields["answer-sign-in"].questionId,
  }),
  "terminal-input": z.object({ text: commandFields["terminal-input"].text }),
  "terminal-resize": z.object({
    columns: commandFields["terminal-resize"].columns,
    rows: commandFields["terminal-resize"].rows,
  }),
  "add-ticket": z.object({ address: z.string().max(1_024) }),
  "add-device": z.object({ name: deviceName, role: z.enum(["admin", "control", "watch"]) }),
} as const;

export type BodyName = keyof typeof bodySchemas;
export type Body<Name extends BodyName> = z.output<(typeof bodySchemas)[Name]>;

/** Throws `invalid-params` that names the field. */
export function readBody<Name extends BodyName>(name: Name, sent: unknown): Body<Name> {
  return readWith(bodySchemas[name], sent, "The body") as Body<Name>;
}
