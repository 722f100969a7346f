import { LandlineError } from "../../errors.ts";
import type { Hits } from "./hits.ts";
import { isRecord, type RawRecord, renamed, isAlias } from "../../record.ts";

/**
 * Normalises `initialize` of a client. A message without a version is refused, because `capabilities` is also ACP
 * v2's name. The capabilities of seed 002 are read for version 1 only.
 */
export function normaliseInitializeParams(params: RawRecord, hits?: Hits): RawRecord {
  if (params["protocolVersion"] === undefined) {
    hits?.count("version-missing");
    throw new LandlineError("invalid-params", {
      message: "initialize has no protocolVersion.",
      help: "Send protocolVersion 1, clientCapabilities and clientInfo.",
    });
  }
  const { capabilities, ...rest } = params;
  if (params["protocolVersion"] !== 1 || !isRecord(capabilities)) return params;
  const { textFiles, terminals } = capabilities;
  if (params["clientCapabilities"] !== undefined || !(isRecord(textFiles) || isRecord(terminals))) {
    return params;
  }
  hits?.count("client-capabilities");
  const clientCapabilities = {
    fs: { readTextFile: isOn(textFiles, "read"), writeTextFile: isOn(textFiles, "write") },
    terminal: isOn(terminals, "create"),
  };
  return { ...rest, clientCapabilities };
}

/** Normalises the agent's result. An agent without a version is assumed to speak version 1. */
export function normaliseInitializeResult(result: RawRecord, hits?: Hits): RawRecord {
  let normalised = result;
  if (isAlias(normalised, "serverInfo", "agentInfo")) {
    hits?.count("agent-info");
    normalised = renamed(normalised, "serverInfo", "agentInfo");
  }
  if (normalised["protocolVersion"] === undefined) {
    hits?.count("version-missing");
    normalised = { ...normalised, protocolVersion: 1 };
  }
  return normalised;
}

function isOn(capability: unknown, name: string): boolean {
  return isRecord(capability) && capability[name] === true;
}
