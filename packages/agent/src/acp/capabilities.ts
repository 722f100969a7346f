import type { AgentCapabilities } from "@agentclientprotocol/sdk/unstable";

/** The same for every client. */
export function agentCapabilities(): AgentCapabilities {
  return {
    loadSession: true,
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: {
      list: {},
      resume: {},
      fork: {},
      close: {},
      delete: {},
      additionalDirectories: {},
    },
    auth: { logout: {} },
  };
}
