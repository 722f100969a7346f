import * as path from "node:path";
import type { RealAgent } from "./real-agent.ts";

const start = path.join(import.meta.dirname, "../../../cli/src/start.ts");

/** The built-in agent, from source: to the gateway it is an ordinary agent. */
export const landline: RealAgent = {
  name: "landline",
  version: "from source",
  launch: ({ modelUrl }) => {
    const models = { "scripted-1": { limit: { context: 200_000, output: 8_192 } } };
    const options = { baseURL: `${modelUrl}/v1`, apiKey: "dummy" };
    const config = {
      model: "scripted/scripted-1",
      small_model: "scripted/scripted-1",
      local_providers: false,
      provider: { scripted: { kind: "openai-compatible", options, models } },
    };
    return {
      command: process.execPath,
      args: ["--conditions=@landline/source", start, "agent"],
      env: { LANDLINE_AGENT_CONFIG_CONTENT: JSON.stringify(config) },
    };
  },
  write: (filePath, content) => ({
    type: "tool-call",
    name: "write",
    arguments: { filePath, content },
  }),
  comesBackBy: "resume",
  afterReject: "model-goes-on",
};
