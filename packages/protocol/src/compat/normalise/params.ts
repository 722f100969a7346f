import { LandlineError } from "../../errors.ts";
import { normaliseBlocks } from "./content.ts";
import type { Hits } from "./hits.ts";
import { normaliseInitializeParams } from "./initialize.ts";
import { normaliseMcpServers } from "./mcp-servers.ts";
import { normalisePermissionRequest } from "./permission.ts";
import { isRecord, type RawRecord, renamed, isAlias, withField } from "../../record.ts";
import { normaliseUpdate } from "./update.ts";

export interface ConnectionFacts {
  /** The only session of the connection, for peers that omit `sessionId` (seed 002). */
  readonly onlySession?: string;
}

/**
 * Normalises the params of a request or notification of either side to the v1 schema. Conforming params and those of
 * other methods are returned as the same object. Returns `null` for a `session/update` without an update.
 */
export function normaliseParams(
  method: string,
  params: unknown,
  hits?: Hits,
  facts: ConnectionFacts = {},
): unknown {
  if (!isRecord(params)) return params;
  switch (method) {
    case "initialize":
      return normaliseInitializeParams(params, hits);
    case "authenticate":
      return authenticate(params, hits);
    case "session/new":
    case "session/load":
      return normaliseMcpServers(params, "required", hits);
    case "session/resume":
    case "session/fork":
      return normaliseMcpServers(params, "optional", hits);
    case "session/prompt":
      return withField(params, "prompt", normaliseBlocks(params["prompt"], hits));
    case "session/update":
      return sessionUpdate(params, hits);
    case "session/request_permission":
      return normalisePermissionRequest(params, hits);
    case "fs/read_text_file":
    case "fs/write_text_file":
    case "terminal/create":
    case "terminal/output":
    case "terminal/wait_for_exit":
    case "terminal/kill":
    case "terminal/release":
      return withSession(params, hits, facts);
    default:
      return params;
  }
}

function authenticate(params: RawRecord, hits?: Hits): RawRecord {
  if (!isAlias(params, "authMethodId", "methodId")) return params;
  hits?.count("auth-method-id");
  return renamed(params, "authMethodId", "methodId");
}

function sessionUpdate(params: RawRecord, hits?: Hits): RawRecord | null {
  if (isRecord(params["update"])) {
    return withField(params, "update", normaliseUpdate(params["update"], hits));
  }
  // Seed 002 puts the update beside the session id, and sends a `status` that is not an update.
  const { sessionId, ...flat } = params;
  const update = normaliseUpdate(flat, hits);
  if (typeof update["sessionUpdate"] === "string") {
    if (flat["sessionUpdate"] !== undefined) hits?.count("update-flat");
    return { ...(sessionId === undefined ? {} : { sessionId }), update };
  }
  if (params["update"] !== undefined || params["status"] === undefined) return params;
  hits?.count("update-status");
  return null;
}

function withSession(params: RawRecord, hits?: Hits, facts: ConnectionFacts = {}): RawRecord {
  if (params["sessionId"] !== undefined) return params;
  hits?.count("session-missing");
  if (facts.onlySession !== undefined) return { ...params, sessionId: facts.onlySession };
  throw new LandlineError("invalid-params", {
    message: "The request names no session, and the connection does not have exactly one.",
    help: "Send the sessionId.",
  });
}
