import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Packages are run from source: both resolvers of Vite need to know the condition.
const conditions = ["@landline/source", "node", "module", "import", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      "packages/*/src/**/*.test.{ts,tsx}",
      "packages/*/test/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    pool: "forks",
    // Tests mostly wait, for processes and sockets: two at a time, where Vitest would take one on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    execArgv: ["--conditions=@landline/source"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
