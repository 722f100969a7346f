import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { RealAgent } from "./real-agent.ts";

export const codex: RealAgent = {
  name: "codex",
  npmPackage: "@agentclientprotocol/codex-acp",
  version: "2.6.0",
  async launch({ home, modelUrl, installed }) {
    const folder = path.join(home, ".codex");
    await fs.mkdir(folder);
    await fs.writeFile(path.join(folder, "config.toml"), config(`${modelUrl}/v1`));
    return {
      command: process.execPath,
      args: [installed("@agentclientprotocol/codex-acp/dist/index.js")],
      env: {
        CODEX_HOME: folder,
        SCRIPTED_KEY: "dummy",
        // Its default asks for nothing.
        INITIAL_AGENT_MODE: "read-only",
        NO_BROWSER: "1",
      },
    };
  },
  // Its edit tool is not a function; a command that leaves the sandbox asks for permission too.
  write: (file, content) => ({
    type: "tool-call",
    name: "exec_command",
    arguments: {
      cmd: `printf '${content.replaceAll("\n", "\\n")}' > '${file}'`,
      sandbox_permissions: "require_escalated",
      justification: "It writes a file.",
    },
  }),
  comesBackBy: "resume",
  afterReject: "cancelled",
};

function config(baseUrl: string): string {
  return `model = "gpt-5.5"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${baseUrl}"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 1
stream_max_retries = 1
supports_websockets = false
`;
}
