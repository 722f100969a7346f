import type {
  AgentCapabilities,
  ClientCapabilities,
  InitializeResponse,
} from "@agentclientprotocol/sdk";
import manifest from "../../../package.json" with { type: "json" };
import type { AgentDescription } from "../../sign-in/sign-ins.ts";
import type { Params } from "./acp-fields.ts";
import { authMethodsFor } from "./client-sign-in.ts";

const PROTOCOL_VERSION = 1;

/** The response to `initialize`: the agent, as a client of the gateway can use it. */
export function introductionOf(
  agentId: string,
  { name, capabilities, authMethods }: AgentDescription,
  client: ClientCapabilities,
): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: {
      name: `landline/${agentId}`,
      title: `${name} via Landline`,
      version: manifest.version,
    },
    agentCapabilities: capabilitiesWith(capabilities),
    authMethods: authMethodsFor(agentId, authMethods, client),
  };
}

/**
 * The capabilities of the agent that the gateway passes on, and those that it provides for every agent from its log.
 * Others are omitted, because their methods would not be answered.
 */
function capabilitiesWith(agent: AgentCapabilities): AgentCapabilities {
  const { promptCapabilities, mcpCapabilities, sessionCapabilities, auth, _meta } = agent;
  return {
    _meta: { ..._meta, transport: { resumable: {} } },
    loadSession: true,
    ...(promptCapabilities && { promptCapabilities }),
    ...(mcpCapabilities && { mcpCapabilities: picked(mcpCapabilities, "http", "sse") }),
    ...(auth?.logout && { auth: picked(auth, "logout") }),
    sessionCapabilities: {
      ...picked(sessionCapabilities ?? {}, "additionalDirectories"),
      list: {},
      resume: {},
      close: {},
      delete: {},
      fork: {},
      title: {},
      status: {},
    },
  } as AgentCapabilities;
}

/** These fields and `_meta`, which has the capabilities of extensions. */
function picked(from: object, ...names: string[]): Params {
  const isKept = ([name, value]: [string, unknown]) =>
    (name === "_meta" || names.includes(name)) && value !== null;
  return Object.fromEntries(Object.entries(from).filter(isKept));
}
