import { spawnSync } from "node:child_process";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");
const read = (file: string) => fs.readFile(path.join(root, file), "utf8");

interface Lock {
  packages: Record<string, { resolved?: string; hasInstallScript?: boolean; version?: string }>;
}

describe("installed packages", () => {
  test("the lockfile names no registry host", async () => {
    const lock = JSON.parse(await read("package-lock.json")) as Lock;
    const addresses = Object.values(lock.packages).flatMap(({ resolved }) => resolved ?? []);
    expect(addresses.filter((address) => address.includes("://"))).toEqual([]);
  });

  test("no package runs an install script", async () => {
    const lock = JSON.parse(await read("package-lock.json")) as Lock;
    const scripted = Object.entries(lock.packages).filter(([, entry]) => entry.hasInstallScript);
    expect(scripted.map(([name]) => name)).toEqual([]);
  });

  test("all versions are pinned", async () => {
    const manifests = [
      "package.json",
      ...(await fs.readdir(path.join(root, "packages"))).map(
        (name) => `packages/${name}/package.json`,
      ),
    ];
    for (const file of manifests) {
      const manifest = JSON.parse(await read(file)) as Record<string, Record<string, string>>;
      // Users install peer dependencies themselves; the version for tests is pinned as a dev dependency.
      for (const kind of ["dependencies", "devDependencies", "optionalDependencies"]) {
        for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
          expect(version, `${name} in ${file}`).toMatch(/^\d+\.\d+\.\d+$/);
        }
      }
    }
  });
});

describe("separate test configurations", () => {
  test.each([
    ["vitest.agents.config.ts", /^packages\/gateway\/test\/real-agents\/[a-z]+\.agents\.ts$/],
    ["vitest.live.config.ts", /^packages\/agent\/test\/tasks\/[a-z-]+\.live\.ts$/],
  ])("%s includes only its own tests", (config, wanted) => {
    const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
    const { stdout } = spawnSync(
      process.execPath,
      [vitest, "list", "--filesOnly", "--config", config],
      { cwd: root, encoding: "utf8", env: { ...process.env, LANDLINE_LIVE: "1" } },
    );
    const files = stdout.trim().split("\n");
    expect(files.filter((file) => !wanted.test(file))).toEqual([]);
  });
});

/** Each import rule with an import that violates it. Runs the real linter on a temporary tree. */
describe("import rules between modules", () => {
  const breaches: [string, string][] = [
    ["packages/protocol/src", "node:fs"],
    ["packages/protocol/src", "fs"],
    ["packages/protocol/src/fold", "@landline/gateway"],
    ["packages/testing/src", "@landline/gateway"],
    ["packages/shell/src", "node:child_process"],
    ["packages/shell/src/arguments", "@landline/agent"],
    ["packages/shell/src", "@landline/system/start-program"],
    ["packages/sandbox/src", "@landline/gateway"],
    ["packages/system/src", "@landline/protocol"],
    ["packages/system/src", "@landline/shell"],
    ["packages/system/src", "node:http"],
    ["packages/client/src", "node:fs"],
    ["packages/client/src", "@landline/protocol/operations"],
    ["packages/client/src", "@landline/protocol/compat"],
    ["packages/client/src", "@landline/gateway"],
    ["packages/client/src", "@landline/system/backoff"],
    ["packages/client/src", "zod"],
    ["packages/client/src", "@landline/shell"],
    ["packages/web/src", "node:path"],
    ["packages/web/src/thread", "@landline/gateway"],
    ["packages/web/src", "@landline/testing"],
    ["packages/web/src", "@landline/shell"],
    ["packages/web/src/ui", "@landline/client"],
    ["packages/web/src/ui", "@landline/client/react"],
    ["packages/web/src/ui", "@landline/protocol"],
    ["packages/web/src/message", "../composer/composer.tsx"],
    ["packages/web/src/message", "../sessions/new-session-form.tsx"],
    ["packages/gateway/src/log", "node:sqlite"],
    ["packages/gateway/src/log", "../index/index-database.ts"],
    ["packages/gateway/src/log", "node:child_process"],
    ["packages/gateway/src/log", "@landline/shell"],
    ["packages/gateway/src/index", "../acp-connection/connection.ts"],
    ["packages/gateway/src/index", "node:http"],
    ["packages/gateway/src/agents", "../log/log.ts"],
    ["packages/gateway/src/agents", "node:sqlite"],
    ["packages/gateway/src/agents", "@landline/shell"],
    ["packages/gateway/src/acp-connection", "@landline/testing"],
    ["packages/gateway/src/acp-connection", "../agents/host.ts"],
    ["packages/gateway/src/acp-v2", "../sessions/registry.ts"],
    ["packages/gateway/src/acp-v2", "node:fs/promises"],
    ["packages/gateway/src/data-folder", "../log/log.ts"],
    ["packages/gateway/src/data-folder", "node:sqlite"],
    ["packages/gateway/src/sessions", "node:child_process"],
    ["packages/gateway/src/sessions", "@landline/system/start-program"],
    ["packages/gateway/src/sessions", "@landline/shell"],
    ["packages/gateway/src/sessions", "../server/server.ts"],
    ["packages/gateway/src/sign-in", "../sessions/registry.ts"],
    ["packages/gateway/src/sign-in", "../log/log.ts"],
    ["packages/gateway/src/agents", "../sign-in/sign-ins.ts"],
    ["packages/gateway/src/acp-client", "../sessions/registry.ts"],
    ["packages/gateway/src/tool-calls", "../acp-client/permissions/rule.ts"],
    ["packages/gateway/src/tool-calls", "../index/index-database.ts"],
    ["packages/gateway/src/tool-calls", "@landline/shell"],
    ["packages/gateway/src/server", "node:child_process"],
    ["packages/gateway/src/server", "@landline/shell"],
    ["packages/gateway/src/server", "../agents/host.ts"],
    ["packages/gateway/src/telemetry", "../sessions/registry.ts"],
    ["packages/agent/src/acp", "@landline/gateway"],
    ["packages/agent/src/acp", "node:child_process"],
    ["packages/agent/src/core", "node:fs/promises"],
    ["packages/agent/src/core", "@agentclientprotocol/sdk"],
    ["packages/agent/src/session", "../tools/tool.ts"],
    ["packages/agent/src/workspace", "../core/turn.ts"],
    ["packages/agent/src/tools", "node:child_process"],
    ["packages/agent/src/permission", "../core/session.ts"],
    ["packages/agent/src/model", "@modelcontextprotocol/client"],
    ["packages/agent/src/mcp", "ai"],
    ["packages/agent/src/config", "@ai-sdk/openai"],
  ];
  const probe = (index: number) => path.join(breaches[index]?.[0] ?? "", `probe-${index}.ts`);
  let tree: string;
  let found: string;

  beforeAll(async () => {
    tree = await fs.mkdtemp(path.join(tmpdir(), "landline-import-rules-"));
    await fs.symlink(path.join(root, "node_modules"), path.join(tree, "node_modules"));
    for (const file of ["oxlint.config.ts", "tsconfig.json"]) {
      await fs.copyFile(path.join(root, file), path.join(tree, file));
    }
    for (const [index, [folder, module]] of breaches.entries()) {
      await fs.mkdir(path.join(tree, folder), { recursive: true });
      await fs.writeFile(path.join(tree, probe(index)), `import "${module}";\n`);
    }
    const oxlint = path.join(root, "node_modules/oxlint/bin/oxlint");
    found = spawnSync(process.execPath, [oxlint, "--format=unix", "packages"], {
      cwd: tree,
      encoding: "utf8",
    }).stdout;
  });
  afterAll(() => fs.rm(tree, { recursive: true, force: true }));

  test.each(breaches.map(([folder, module], index) => [folder, module, index] as const))(
    "%s must not import %s",
    (_, __, index) => {
      const said = found.split("\n").filter((line) => line.includes(probe(index)));
      expect(said.join("\n")).toMatch(/no-restricted-imports|prefer-node-protocol/);
    },
  );
});
