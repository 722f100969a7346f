import type {
  AgentCapabilities,
  AuthMethod,
  ClientCapabilities,
  Implementation,
  InitializeRequest,
  InitializeResponse,
} from "@agentclientprotocol/sdk";
import { LandlineError, type Limits } from "@landline/protocol";
import manifest from "../../package.json" with { type: "json" };
import type { AgentConnection } from "../acp-connection/connection.ts";

/** The only stable version of ACP. */
const PROTOCOL_VERSION = 1;

export interface InitializeOutcome {
  readonly info: Implementation | null;
  readonly capabilities: AgentCapabilities;
  readonly authMethods: readonly AuthMethod[];
  /** The `_meta` of the response. */
  readonly meta: unknown;
}

/** Sends `initialize`. The connection validates and normalises the result. */
export async function initialize(
  connection: AgentConnection,
  clientCapabilities: ClientCapabilities,
  limits: Limits,
  token?: string,
): Promise<InitializeOutcome> {
  const params: InitializeRequest = {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities,
    clientInfo: { name: "landline", title: "Landline", version: manifest.version },
    ...(token !== undefined && { _meta: { "landline/token": token } }),
  };
  const result = (await connection.request("initialize", params, {
    timeoutMs: limits.initializeMs,
  })) as InitializeResponse;
  if (result.protocolVersion !== PROTOCOL_VERSION)
    throw new LandlineError("agent-protocol-error", {
      message: `The agent speaks version ${result.protocolVersion} of ACP, and Landline speaks version ${PROTOCOL_VERSION}.`,
      help: "Install a version of the agent that speaks ACP version 1.",
      data: { method: "initialize", protocolVersion: result.protocolVersion },
    });
  return {
    info: result.agentInfo ?? null,
    capabilities: result.agentCapabilities ?? {},
    authMethods: result.authMethods ?? [],
    meta: result._meta,
  };
}
