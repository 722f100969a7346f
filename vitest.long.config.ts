import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.config.ts";

// What takes too long for `npm test`: `npm run test:long`, which CI runs after it.
export default mergeConfig(
  { ...shared, test: { ...shared.test, include: [], exclude: [] } },
  defineConfig({
    test: {
      include: ["packages/*/{src,test}/**/*.long.test.ts"],
      exclude: ["**/node_modules/**"],
      testTimeout: 600_000,
    },
  }),
);
