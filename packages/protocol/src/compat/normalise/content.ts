import type { Hits } from "./hits.ts";
import { isList, isRecord, mapSame, type RawRecord, withField } from "../../record.ts";

/** A content block: a link gets the name that the schema wants, an image without data is a link. */
export function normaliseBlock(block: unknown, hits?: Hits): unknown {
  if (!isRecord(block)) return block;
  switch (block["type"]) {
    case "resource_link":
      return namedLink(block, hits);
    case "image":
      return linkedImage(block, hits);
    default:
      return block;
  }
}

export function normaliseBlocks(blocks: unknown, hits?: Hits): unknown {
  return isList(blocks) ? mapSame(blocks, (block) => normaliseBlock(block, hits)) : blocks;
}

/** What a tool call shows: of its three forms, only `content` holds a block. */
export function normaliseToolContent(items: unknown, hits?: Hits): unknown {
  if (!isList(items)) return items;
  return mapSame(items, (item) =>
    isRecord(item) && item["type"] === "content"
      ? withField(item, "content", normaliseBlock(item["content"], hits))
      : item,
  );
}

export function textBlock(text: string): RawRecord {
  return { type: "text", text };
}

const blockTypes: ReadonlySet<unknown> = new Set([
  "text",
  "image",
  "audio",
  "resource",
  "resource_link",
]);

/** The block that a value is or can be shown as, if any. */
export function blockOf(value: unknown, hits?: Hits): unknown {
  if (typeof value === "string") return textBlock(value);
  return isRecord(value) && blockTypes.has(value["type"]) ? normaliseBlock(value, hits) : undefined;
}

function namedLink(link: RawRecord, hits?: Hits): RawRecord {
  const { uri } = link;
  if (typeof link["name"] === "string" || typeof uri !== "string") return link;
  hits?.count("content-link-name");
  return { ...link, name: nameFromUri(uri) };
}

function linkedImage(image: RawRecord, hits?: Hits): RawRecord {
  const { uri } = image;
  if (typeof image["data"] === "string" || typeof uri !== "string") return image;
  hits?.count("content-image-link");
  const { data: _data, ...rest } = image;
  return { ...rest, type: "resource_link", name: nameFromUri(uri) };
}

/** The last segment of the path, as it is written there; the whole address where there is none. */
function nameFromUri(uri: string): string {
  const path = uri.split(/[?#]/, 1)[0] ?? "";
  const segment = path.split("/").findLast((part) => part !== "");
  return segment === undefined || segment.endsWith(":") ? uri : segment;
}
