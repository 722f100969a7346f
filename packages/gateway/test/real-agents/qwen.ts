import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { RealAgent } from "./real-agent.ts";

export const qwen: RealAgent = {
  name: "qwen",
  npmPackage: "@qwen-code/qwen-code",
  version: "0.24.4",
  async launch({ home, modelUrl, installed }) {
    await fs.mkdir(path.join(home, ".qwen"));
    const settings = {
      security: { auth: { selectedType: "openai" } },
      // Otherwise it starts in a mode that does not ask.
      tools: { approvalMode: "default" },
      model: { name: "scripted-1" },
      privacy: { usageStatisticsEnabled: false },
    };
    await fs.writeFile(path.join(home, ".qwen/settings.json"), JSON.stringify(settings));
    return {
      command: process.execPath,
      args: [installed("@qwen-code/qwen-code/cli.js"), "--acp"],
      env: {
        OPENAI_API_KEY: "dummy",
        OPENAI_BASE_URL: `${modelUrl}/v1`,
        OPENAI_MODEL: "scripted-1",
      },
    };
  },
  write: (file, content) => ({
    type: "tool-call",
    name: "write_file",
    arguments: { file_path: file, content },
  }),
  comesBackBy: "resume",
  afterReject: "end_turn",
  // After a turn it generates memories and suggested replies.
  aside: ({ tools, userText }) =>
    tools.length === 0 || /^Managed memory has|Reply with ONLY the suggestion/.test(userText)
      ? "Nothing."
      : null,
};
