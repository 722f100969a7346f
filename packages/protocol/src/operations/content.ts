import { z } from "zod";
import { normaliseBlocks } from "../compat/normalise/content.ts";
import { bounds, list, meta, optional, text, url, value } from "./fields.ts";

/** The five content blocks of ACP v1. Fields that we do not know are kept: the agent may. */
const annotations = optional(
  z.looseObject({
    audience: optional(list(z.enum(["user", "assistant"]), { most: 2 })),
    lastModified: optional(value),
    priority: optional(z.number()),
    _meta: meta,
  }),
);

const shared = { annotations, _meta: meta };
const mimeType = optional(value);

const resource = z.union([
  z.looseObject({ uri: url, text, mimeType, _meta: meta }),
  z.looseObject({ uri: url, blob: text, mimeType, _meta: meta }),
]);

const contentBlockSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text, ...shared }),
  z.looseObject({
    type: z.literal("image"),
    data: text,
    mimeType: value,
    uri: optional(url),
    ...shared,
  }),
  z.looseObject({ type: z.literal("audio"), data: text, mimeType: value, ...shared }),
  z.looseObject({
    type: z.literal("resource_link"),
    name: value,
    uri: url,
    mimeType,
    title: optional(value),
    description: optional(value),
    size: optional(z.int().min(0)),
    ...shared,
  }),
  z.looseObject({ type: z.literal("resource"), resource, ...shared }),
]);

/** What a person says: plain text, or blocks. */
export const promptContentSchema = z.union([
  text.min(1),
  list(contentBlockSchema, {
    least: 1,
    most: bounds.blocksPerPrompt,
    understand: (blocks) => normaliseBlocks(blocks),
  }),
]);
