import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.config.ts";

if (process.env["LANDLINE_LIVE"] !== "1")
  throw new Error("These tests pay a provider for what they ask. Say so: LANDLINE_LIVE=1");

// The agent's tasks with a real model: docs/agent.md, "Testing it".
export default mergeConfig(
  { ...shared, test: { ...shared.test, include: [] } },
  defineConfig({
    test: {
      include: ["packages/agent/test/tasks/*.live.ts"],
      fileParallelism: false,
      testTimeout: 600_000,
    },
  }),
);
