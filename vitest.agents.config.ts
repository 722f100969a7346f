import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.config.ts";

// Real agents through the gateway: `npm run test:agents`. They are heavy, so one at a time.
export default mergeConfig(
  { ...shared, test: { ...shared.test, include: [] } },
  defineConfig({
    test: {
      include: ["packages/gateway/test/real-agents/*.agents.ts"],
      setupFiles: ["packages/gateway/test/real-agents/clean-environment.ts"],
      fileParallelism: false,
      testTimeout: 120_000,
      hookTimeout: 60_000,
    },
  }),
);
