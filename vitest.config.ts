import { availableParallelism } from "node:os";
import * as path from "node:path";
import { defineConfig } from "vitest/config";

// Packages are run from source: both resolvers of Vite need to know the condition.
const conditions = ["@landline/source", "node", "module", "import", "default"];

// Tests start thousands of processes from source: each module is compiled once, not in each of them.
process.env["NODE_COMPILE_CACHE"] ??= path.join(import.meta.dirname, ".cache/compile");

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    pool: "forks",
    // Tests mostly wait, for processes and sockets: two at a time, where Vitest would take one on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    execArgv: ["--conditions=@landline/source"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: ["packages/*/src/**/*.test.{ts,tsx}"],
          // They stand beside what they test and leave nothing behind: one process serves many of them.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["packages/*/test/**/*.test.ts", "scripts/**/*.test.ts"],
        },
      },
    ],
  },
});
