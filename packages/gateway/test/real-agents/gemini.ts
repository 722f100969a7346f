import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { RealAgent } from "./real-agent.ts";

export const gemini: RealAgent = {
  name: "gemini",
  npmPackage: "@google/gemini-cli",
  version: "0.61.0",
  async launch({ home, modelUrl, installed }) {
    await fs.mkdir(path.join(home, ".gemini"));
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, sessionRetention: { enabled: false } },
    };
    await fs.writeFile(path.join(home, ".gemini/settings.json"), JSON.stringify(settings));
    return {
      command: process.execPath,
      args: [installed("@google/gemini-cli/bundle/gemini.js"), "--acp"],
      env: {
        GEMINI_API_KEY: "dummy",
        GOOGLE_GEMINI_BASE_URL: modelUrl,
        GEMINI_CLI_NO_RELAUNCH: "true",
      },
    };
  },
  write: (file, content) => ({
    type: "tool-call",
    name: "write_file",
    arguments: { file_path: file, content },
  }),
  comesBackBy: "load",
  // For a session that is loaded in the minute in which it was created, both files have the same name.
  mayForget: true,
  afterReject: "model-goes-on",
  // Before each turn it asks which model to use, and expects JSON.
  aside: ({ tools }) =>
    tools.length === 0
      ? JSON.stringify({ complexity_reasoning: "A simple request.", complexity_score: 1 })
      : null,
};
