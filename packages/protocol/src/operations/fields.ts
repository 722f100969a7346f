import { z } from "zod";
import { limitsOf } from "../limits.ts";

/** The fields that commands are made of, each with its bound. Whatever a client sends is hostile. */
export const bounds = limitsOf("default");

const withoutNul = (value: string): boolean => !value.includes("\0");
const nulMessage = { error: "must not contain a NUL character" };

const line = (longest: number) => z.string().min(1).max(longest).refine(withoutNul, nulMessage);

export const text = z.string().max(bounds.textLength).refine(withoutNul, nulMessage);
export const id = line(bounds.idLength);
export const title = line(bounds.titleLength);
export const deviceName = line(bounds.deviceNameLength);
export const value = z.string().max(bounds.valueLength).refine(withoutNul, nulMessage);
export const note = line(bounds.noteLength);
export const url = line(bounds.valueLength);

/** `/…`, `C:\…`, `C:/…` or `\\server\…`: a client may be on another system than this code. */
export const absolutePath = line(bounds.pathLength).regex(/^(?:\/|[A-Za-z]:[\\/]|\\\\)/, {
  error: "must be an absolute path",
});

export const cursor = z.int().min(0);

/** Echoed in the reply: whatever the client counts by. */
export const commandId = z.union([id, z.int()]);

/** ACP writes an absent value both ways. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullable().exactOptional();

/** Neither read nor changed by us. */
export const meta = optional(z.record(z.string(), z.unknown()));

interface ListBounds {
  readonly least?: number;
  readonly most: number;
  /** Puts spellings of the seeds right before the items are looked at. */
  readonly understand?: (items: readonly unknown[]) => unknown;
}

/**
 * The length is looked at before the items are: a list of millions of wrong items must not become a
 * list of millions of complaints.
 */
export function list<Item extends z.ZodType>(item: Item, listBounds: ListBounds) {
  const { least = 0, most, understand = (items) => items } = listBounds;
  return z.preprocess((items, context) => {
    if (!Array.isArray(items)) return items;
    if (items.length <= most) return understand(items);
    context.issues.push({
      code: "too_big",
      origin: "array",
      maximum: most,
      inclusive: true,
      input: undefined,
    });
    return z.NEVER;
  }, z.array(item).min(least).max(most));
}
