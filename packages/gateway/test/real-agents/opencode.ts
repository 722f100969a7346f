import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { RealAgent } from "./real-agent.ts";

export const opencode: RealAgent = {
  name: "opencode",
  npmPackage: "opencode-ai",
  version: "1.18.33",
  async launch({ home, modelUrl, installed }) {
    const provider = {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: `${modelUrl}/v1`, apiKey: "dummy" },
      models: { "scripted-1": { limit: { context: 200_000, output: 8_192 } } },
    };
    const settings = {
      model: "scripted/scripted-1",
      small_model: "scripted/scripted-1",
      enabled_providers: ["scripted"],
      autoupdate: false,
      share: "disabled",
      permission: { edit: "ask", bash: "ask" },
      provider: { scripted: provider },
    };
    const folder = path.join(home, ".config/opencode");
    await fs.mkdir(folder, { recursive: true });
    await fs.writeFile(path.join(folder, "opencode.json"), JSON.stringify(settings));
    return {
      command: installed("opencode-ai/bin/opencode.exe"),
      args: ["acp"],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        // It would fetch 59 MB in the background.
        npm_config_registry: "http://127.0.0.1:9/",
      },
    };
  },
  write: (filePath, content) => ({
    type: "tool-call",
    name: "write",
    arguments: { filePath, content },
  }),
  comesBackBy: "resume",
  afterReject: "end_turn",
};
