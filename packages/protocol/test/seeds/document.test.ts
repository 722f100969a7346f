import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const root = new URL("../../../../", import.meta.url);
const document = readFileSync(new URL("docs/seeds.md", root), "utf8");

const folders: Readonly<Record<string, string>> = {
  protocol: "packages/protocol/src/",
  normalise: "packages/protocol/src/compat/normalise/",
  seeds: "packages/protocol/test/seeds/",
  golden: "packages/protocol/test/golden/",
  fold: "packages/protocol/src/fold/",
  dialects: "packages/protocol/src/compat/dialects/",
  log: "packages/gateway/src/log/",
  index: "packages/gateway/src/index/",
  "data-folder": "packages/gateway/src/data-folder/",
  agents: "packages/gateway/src/agents/",
  "acp-client": "packages/gateway/src/acp-client/",
  sessions: "packages/gateway/src/sessions/",
  server: "packages/gateway/src/server/",
  telemetry: "packages/gateway/src/telemetry/",
  connection: "packages/gateway/src/acp-connection/",
  wire: "packages/gateway/test/connection/",
  tests: "packages/gateway/test/",
  agent: "packages/agent/",
  cli: "packages/cli/",
  client: "packages/client/",
  system: "packages/system/",
  web: "packages/web/",
  testing: "packages/testing/src/",
  docs: "docs/",
  packages: "packages/",
};

/** Names of methods contain slashes too, but have no extension. */
function pathsIn(text: string): string[] {
  const tokens = [...text.matchAll(/`([a-z-]+)\/([\w./-]*)`/g)];
  return tokens.flatMap(([, short = "", rest = ""]) => {
    if (Object.hasOwn(folders, short)) return [(folders[short] ?? "") + rest];
    return /\.(?:ts|json|md)$/.test(rest) ? [`${short}/${rest}`] : [];
  });
}

const paths = [...new Set(pathsIn(document))].toSorted();

test.each(paths)("docs/seeds.md names %s, which exists", (path) => {
  expect(existsSync(new URL(path, root))).toBe(true);
});

/** The rows of the tables under "## Seed …": requirement, status, where. */
const rows = document
  .split(/^## Seed /m)
  .slice(1)
  .flatMap((section) => section.split("\n").filter((line) => /^\| (?!requirement|--)/.test(line)))
  .map((line) => line.slice(2, -2).split(" | "))
  .map((cells) => cells.map((cell) => cell.trim()));

describe("every row of docs/seeds.md", () => {
  test("has a requirement, a status of the list, and a place", () => {
    const wrong = rows.filter(
      ([, status = "", ...where]) =>
        !/^(?:done|partly|no(?:: .+)?)$/.test(status) || where.length !== 1,
    );
    expect(rows.length).toBeGreaterThan(200);
    expect(wrong).toEqual([]);
  });

  test("that is done names a test, or an example that a test reads", () => {
    const proof = /(?:\.test\.ts|\.contract\.ts|seed-\d{3}\.json)$/;
    const unproved = rows.filter(
      ([, status, where = ""]) =>
        status === "done" && !pathsIn(where).some((path) => proof.test(path)),
    );
    expect(unproved).toEqual([]);
  });

  test("that is partly done names the module", () => {
    const module = /\*\*(?:agents|sessions|acp-client|server|telemetry|agent|client|web|cli)\*\*/;
    const unnamed = rows.filter(
      ([, status = "", where = ""]) => status === "partly" && !module.test(where),
    );
    expect(unnamed).toEqual([]);
  });
});
