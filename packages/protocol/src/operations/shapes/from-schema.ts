import { z } from "zod";
import type { Fields, Schema, Shape } from "../../schema.ts";
import { acp } from "./acp.ts";

/** A string that is too long for a line of the log is replaced by a reference to it (`read-blob`). */
export const blobReference = z.object({ $blob: z.string(), bytes: z.int() });

/** The zod schema of what `schema.ts` describes. Whether it is optional is up to the object that has it. */
export function zodOf<Type>({ shape, isNullable, description }: Schema<Type>): z.ZodType<Type> {
  const bare = zodOfShape(shape);
  const whole = isNullable ? bare.nullable() : bare;
  const result = description === undefined ? whole : whole.describe(description);
  return result as unknown as z.ZodType<Type>;
}

export function zodFields(fields: Fields): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      schema.isOptional ? zodOf(schema).exactOptional() : zodOf(schema),
    ]),
  );
}

function zodOfShape(shape: Shape): z.ZodType {
  switch (shape.of) {
    case "string":
      return z.string();
    case "text":
      return z.union([z.string(), blobReference]);
    case "integer":
      return z.int();
    case "number":
      return z.number();
    case "true":
      return z.literal(true);
    case "record":
      return z.record(z.string(), z.unknown());
    case "acp":
      return acp(shape.description);
    case "one of":
      return shape.values.length === 1 ? z.literal(shape.values) : z.enum(shape.values);
    case "list":
      return z.array(zodOf(shape.entry));
    case "object":
      return z.object(zodFields(shape.fields));
    default:
      shape.of satisfies "union";
      return z.union(shape.members.map(zodOf));
  }
}
