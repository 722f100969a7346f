import { isRecord } from "@landline/system/json";
import type { ContentBlock, ToolCallContent, ToolCallLocation } from "@agentclientprotocol/sdk";
import type { ToolView } from "../tools/tool.ts";

const kinds: ReadonlySet<unknown> = new Set<ToolView["kind"]>([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
]);

/**
 * Drops the parts of a view that do not conform to the ACP schema. They may come from a model's input or an
 * old record, and one invalid update can end a client's session.
 */
export function validToolView(view: { [Part in keyof ToolView]?: unknown }): Partial<ToolView> {
  const { title, kind, locations, content } = view;
  return {
    ...(typeof title === "string" && { title }),
    ...(kinds.has(kind) && { kind: kind as ToolView["kind"] }),
    ...(Array.isArray(locations) && { locations: locations.flatMap(validLocation) }),
    ...(Array.isArray(content) && { content: content.filter(isContent) }),
  };
}

/** ACP line numbers are unsigned 32-bit integers. */
const lineMax = 0xff_ff_ff_ff;

function validLocation(given: unknown): ToolCallLocation[] {
  if (!isRecord(given) || typeof given["path"] !== "string") return [];
  const { path, line } = given;
  const isLine = Number.isInteger(line) && Number(line) >= 0 && Number(line) <= lineMax;
  return [{ path, ...(isLine && { line: Number(line) }) }];
}

function isContent(given: unknown): given is ToolCallContent {
  if (!isRecord(given)) return false;
  switch (given["type"]) {
    case "content":
      return isBlock(given["content"]);
    case "diff":
      return isText(given, "path", "newText") && isTextOrNone(given["oldText"]);
    case "terminal":
      return isText(given, "terminalId");
    default:
      return false;
  }
}

function isBlock(given: unknown): given is ContentBlock {
  if (!isRecord(given)) return false;
  switch (given["type"]) {
    case "text":
      return isText(given, "text");
    case "image":
    case "audio":
      return isText(given, "data", "mimeType");
    case "resource_link":
      return isText(given, "uri", "name");
    case "resource":
      return isResource(given["resource"]);
    default:
      return false;
  }
}

function isResource(given: unknown): boolean {
  return isRecord(given) && (isText(given, "uri", "text") || isText(given, "uri", "blob"));
}

function isText(given: Readonly<Record<string, unknown>>, ...names: readonly string[]): boolean {
  return names.every((name) => typeof given[name] === "string");
}

function isTextOrNone(given: unknown): boolean {
  return given === undefined || given === null || typeof given === "string";
}
