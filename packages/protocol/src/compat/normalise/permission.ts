import type { PermissionOptionKind } from "@agentclientprotocol/sdk";
import { kindUnknown } from "../../kind-unknown.ts";
import type { Hits } from "./hits.ts";
import {
  isList,
  isRecord,
  mapSame,
  type RawRecord,
  renamed,
  isAlias,
  withField,
} from "../../record.ts";
import { normaliseToolCall } from "./tool-call.ts";

/**
 * Normalises a permission request. Seed 002 has `{id, tool, description}` for the tool call and `{id, label}` as
 * options; seed 001 has options with a `title` and without a `kind`.
 */
export function normalisePermissionRequest(params: RawRecord, hits?: Hits): RawRecord {
  const request = withToolCall(params, hits);
  const { toolCall, options } = request;
  const withCall = isRecord(toolCall)
    ? withField(request, "toolCall", normaliseToolCall(toolCall, hits))
    : request;
  return isList(options)
    ? withField(
        withCall,
        "options",
        mapSame(options, (option) => permissionOption(option, hits)),
      )
    : withCall;
}

/** Normalises the result. `outcome` may have no wrapper, or may be `timeout`. */
export function normalisePermissionResult(result: RawRecord, hits?: Hits): RawRecord {
  const { outcome } = result;
  if (isRecord(outcome)) {
    if (outcome["outcome"] !== "timeout") return result;
    hits?.count("permission-outcome");
    return { ...result, outcome: { ...outcome, outcome: "cancelled" } };
  }
  const { outcome: _outcome, optionId, ...rest } = result;
  if (typeof optionId === "string" && (outcome === undefined || outcome === "selected")) {
    hits?.count("permission-outcome");
    return { ...rest, outcome: { outcome: "selected", optionId } };
  }
  if (outcome === "cancelled" || outcome === "timeout") {
    hits?.count("permission-outcome");
    return { ...rest, outcome: { outcome: "cancelled" } };
  }
  return result;
}

function withToolCall(params: RawRecord, hits?: Hits): RawRecord {
  if (params["toolCall"] !== undefined) return params;
  const { id, tool, description, ...rest } = params;
  if (typeof id !== "string" || typeof tool !== "string") return params;
  hits?.count("permission-request");
  const title = typeof description === "string" ? description : tool;
  return { ...rest, toolCall: { toolCallId: id, name: tool, title } };
}

function permissionOption(option: unknown, hits?: Hits): unknown {
  if (!isRecord(option)) return option;
  return withKind(withName(withOptionId(option, hits), hits), hits);
}

function withOptionId(option: RawRecord, hits?: Hits): RawRecord {
  if (!isAlias(option, "id", "optionId")) return option;
  hits?.count("permission-option");
  return renamed(option, "id", "optionId");
}

function withName(option: RawRecord, hits?: Hits): RawRecord {
  for (const field of ["label", "title"]) {
    if (!isAlias(option, field, "name")) continue;
    hits?.count("permission-option");
    return renamed(option, field, "name");
  }
  return option;
}

function withKind(option: RawRecord, hits?: Hits): RawRecord {
  const { kind, optionId } = option;
  if (kinds.has(kind) || typeof optionId !== "string") return option;
  hits?.count("permission-kind");
  const word = typeof kind === "string" ? kind : optionId;
  const known = kindsByWord.get(word.toLowerCase().replaceAll("-", "_"));
  if (known !== undefined) return { ...option, kind: known };
  const meta = isRecord(option["_meta"]) ? option["_meta"] : {};
  return { ...option, kind: "reject_once", _meta: { ...meta, [kindUnknown]: true } };
}

const kinds: ReadonlySet<unknown> = new Set<PermissionOptionKind>([
  "allow_once",
  "allow_always",
  "reject_once",
  "reject_always",
]);

/** Matches whole words only, so not "disallow" or "allow_nothing". */
const kindsByWord: ReadonlyMap<string, PermissionOptionKind> = new Map([
  ["allow_once", "allow_once"],
  ["allow", "allow_once"],
  ["once", "allow_once"],
  ["allow_always", "allow_always"],
  ["always", "allow_always"],
  ["reject_once", "reject_once"],
  ["reject", "reject_once"],
  ["deny_once", "reject_once"],
  ["deny", "reject_once"],
  ["reject_always", "reject_always"],
  ["deny_always", "reject_always"],
]);
