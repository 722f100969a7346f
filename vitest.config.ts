import { existsSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import * as path from "node:path";
import { defineConfig } from "vitest/config";

// Packages are run from source: both resolvers of Vite need to know the condition.
const conditions = ["@landline/source", "node", "module", "import", "default"];

// Tests start thousands of processes from source: each module is compiled once, not in each of them. What was compiled
// of older sources is left behind, and goes with the rest when it is a lot.
const compiled = path.join(import.meta.dirname, ".cache/compile");
const compiledMost = 30_000;
if (countFiles(compiled) > compiledMost) rmSync(compiled, { recursive: true, force: true });
process.env["NODE_COMPILE_CACHE"] ??= compiled;

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      "packages/*/src/**/*.test.{ts,tsx}",
      "packages/*/test/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    exclude: ["**/node_modules/**", "**/*.long.test.ts"],
    setupFiles: ["scripts/property-seed.ts", "packages/web/test/testing-library-setup.ts"],
    pool: "forks",
    // Test files leave nothing behind: a process serves many of them, and loads the sources once.
    isolate: false,
    // Tests mostly wait, for processes, sockets and pages: three at a time, where Vitest would take one on two cores.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    execArgv: ["--conditions=@landline/source"],
    // These only end what hangs: a test that passes must pass on a busy machine too.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});

function countFiles(folder: string): number {
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).length : 0;
}
