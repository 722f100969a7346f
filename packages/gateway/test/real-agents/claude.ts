import * as path from "node:path";
import type { RealAgent } from "./real-agent.ts";

export const claude: RealAgent = {
  name: "claude",
  npmPackage: "@agentclientprotocol/claude-agent-acp",
  version: "0.99.1",
  launch: ({ home, modelUrl, installed }) => ({
    command: process.execPath,
    args: [installed("@agentclientprotocol/claude-agent-acp/dist/index.js")],
    env: {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: "sk-ant-dummy",
      CLAUDE_CONFIG_DIR: path.join(home, ".claude"),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1",
    },
  }),
  write: (file, content) => ({
    type: "tool-call",
    name: "Write",
    arguments: { file_path: file, content },
  }),
  comesBackBy: "resume",
  afterReject: "model-goes-on",
};
