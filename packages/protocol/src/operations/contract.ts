import { z } from "zod";
import { bounds, meta } from "./fields.ts";

/** What an operation takes and returns; its row in the table says the rest. */
export interface Contract {
  readonly summary: string;
  /** Unknown fields are refused. Over HTTP, fields are in the path, in the query or in the body. */
  readonly input: z.ZodObject;
  /** Null: nothing, which is status 204. */
  readonly output: z.ZodType | null;
  /** Default: 200. */
  readonly status?: 201 | 202;
  /** The content types of its answers. Default: JSON. */
  readonly media?: readonly string[];
}

/** `_meta` is accepted everywhere, as in ACP, and read by nobody. */
export function input<Fields extends z.ZodRawShape>(fields: Fields) {
  return z.strictObject({ ...fields, _meta: meta });
}

/** In a query, numbers are text. */
const readNumber = (sent: unknown) =>
  typeof sent === "string" && /^\d{1,16}$/.test(sent) ? Number(sent) : sent;

export function numberInQuery(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  return z.preprocess(readNumber, z.int().min(least).max(most));
}

/** How many are wanted. What the gateway sends at once may be less. */
export const limit = numberInQuery(1, bounds.pageRows).describe("At most this many.");

export const session = z.string().max(bounds.idLength).describe("The id of a session.");
