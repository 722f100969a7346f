import { z } from "zod";
import { normalisePermissionResult } from "../compat/normalise/permission.ts";
import { isRecord } from "../record.ts";
import { bounds, id, list, meta, text } from "./fields.ts";

const permissionOutcome = z.discriminatedUnion("outcome", [
  z.looseObject({ outcome: z.literal("selected"), optionId: id, _meta: meta }),
  z.looseObject({ outcome: z.literal("cancelled"), _meta: meta }),
]);

const formValue = z.union([
  text,
  z.number(),
  z.boolean(),
  list(text, { most: bounds.fieldsPerAnswer }),
]);

/** The number of fields is checked before the fields are parsed, as in `list`. */
const formContent = z.preprocess(
  (fields, context) => {
    if (!isRecord(fields) || Object.keys(fields).length <= bounds.fieldsPerAnswer) return fields;
    const message = `must have at most ${bounds.fieldsPerAnswer} fields`;
    context.issues.push({ code: "custom", message, input: undefined });
    return z.NEVER;
  },
  z.record(id, formValue),
);

export const questionOutcomeSchema = z.discriminatedUnion("action", [
  z.looseObject({ action: z.literal("accept"), content: formContent.exactOptional(), _meta: meta }),
  z.looseObject({ action: z.literal("decline"), _meta: meta }),
  z.looseObject({ action: z.literal("cancel"), _meta: meta }),
]);

/** The answer to an ask: the outcome of a permission request, or the action for a question. */
export const outcomeSchema = z.preprocess(
  understood,
  z.union([permissionOutcome, questionOutcomeSchema]),
);

/** Also accepts a bare `{optionId}`, a bare string, and the `timeout` of seed 001. */
function understood(outcome: unknown): unknown {
  const isBare = isRecord(outcome) && outcome["outcome"] === undefined;
  const result = normalisePermissionResult(isBare ? outcome : { outcome });
  return isBare && result === outcome ? outcome : result["outcome"];
}
