import { defineConfig, type OxlintOverride } from "oxlint";

/**
 * Import rules between modules. Each module is named for what only it may use (docs/architecture.md);
 * what it must not import is listed here, and `npm run check` fails on it.
 */
const touches = {
  processes: [
    "node:child_process",
    "execa",
    "@lydell/node-pty",
    "@landline/system/process-group",
    "@landline/system/process-sweep",
    "@landline/system/start-program",
    "@landline/system/supervisor",
  ],
  sql: ["node:sqlite"],
  http: ["node:http", "node:https", "node:http2", "hono", "hono/*", "@hono/*", "ws"],
  testing: ["@landline/testing", "@landline/testing/*"],
  /** The analysis of command lines: in the gateway for rules and the audit, loaded when they need it. */
  commands: ["@landline/shell", "@landline/shell/*"],
} as const;
const allTouches = Object.values(touches).flat();

const within = (name: string) => `**/${name}/**`;

function importRule(files: string[], group: readonly string[], message: string) {
  return {
    files,
    excludeFiles: ["**/*.test.ts", "**/*.test.tsx", "**/test/**"],
    rules: {
      "no-restricted-imports": ["error", { patterns: [{ group: [...group], message }] }],
    },
  } satisfies OxlintOverride;
}

const inAgent = (name: string) => [`packages/agent/src/${name}/**`];

/**
 * The modules of the built-in agent. Types may come from anywhere; code may not. None of them knows
 * the gateway: the agent could be replaced by any other.
 */
function agentImportRules(): OxlintOverride[] {
  const ours = ["@landline/gateway", "@landline/protocol", "@landline/client", ...touches.testing];
  const acp = ["@agentclientprotocol/sdk", "@agentclientprotocol/sdk/*"];
  const models = ["ai", "@ai-sdk/*"];
  const mcp = ["@modelcontextprotocol/*"];
  return [
    importRule(
      inAgent("acp"),
      [...ours, ...models, ...mcp, ...touches.processes, ...touches.http],
      "acp speaks to the client; sessions decide.",
    ),
    valueRule(
      inAgent("core"),
      [
        ...ours,
        ...acp,
        ...models,
        ...mcp,
        ...touches.processes,
        ...touches.http,
        "node:fs",
        "node:fs/*",
        "node:net",
        within("acp"),
      ],
      "core is the loop: what it reads, writes and says goes through its ports.",
    ),
    valueRule(
      inAgent("session"),
      [...ours, ...acp, ...models, ...mcp, ...touches.http, within("acp"), within("tools")],
      "session keeps records on disk.",
    ),
    valueRule(
      inAgent("workspace"),
      [...ours, ...acp, ...models, ...mcp, ...touches.http, within("acp"), within("core")],
      "workspace knows files and programs.",
    ),
    valueRule(
      inAgent("tools"),
      [...ours, ...acp, ...models, ...mcp, ...touches.processes, within("acp")],
      "tools touch the world through their context and the workspace.",
    ),
    valueRule(
      inAgent("permission"),
      [
        ...ours,
        ...acp,
        ...models,
        ...mcp,
        ...touches.processes,
        ...touches.http,
        within("acp"),
        within("core"),
      ],
      "permission judges, and does nothing.",
    ),
    valueRule(
      inAgent("model"),
      [...ours, ...acp, ...mcp, ...touches.processes, ...["acp", "tools", "session"].map(within)],
      "model knows providers and the AI SDK.",
    ),
    valueRule(
      inAgent("mcp"),
      [...ours, ...acp, ...models, within("acp"), within("session")],
      "mcp knows MCP servers.",
    ),
    valueRule(
      inAgent("config"),
      [...ours, ...acp, ...models, ...mcp, ...touches.http, within("acp"), within("session")],
      "config reads what a person and a project say.",
    ),
  ];
}

/** A wall that types may pass. */
function valueRule(files: string[], group: readonly string[], message: string) {
  return {
    files,
    excludeFiles: ["**/*.test.ts", "**/*.test.tsx", "**/test/**"],
    rules: {
      "typescript/no-restricted-imports": [
        "error",
        { patterns: [{ group: [...group], message, allowTypeImports: true }] },
      ],
    },
  } satisfies OxlintOverride;
}

export default defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "node", "vitest"],
  options: { typeAware: true },
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  rules: {
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/switch-exhaustiveness-check": [
      "error",
      { considerDefaultExhaustiveForUnions: true },
    ],
    "typescript/consistent-type-imports": "error",
    "unicorn/prefer-node-protocol": "error",
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "eslint/max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
    "eslint/max-lines-per-function": [
      "error",
      { max: 90, skipBlankLines: true, skipComments: true },
    ],
    // Order is a promise of this code base: most awaits in loops are there on purpose.
    "eslint/no-await-in-loop": "off",
    "unicorn/no-array-sort": "off",
    // `using _x` names what is only held.
    "eslint/no-underscore-dangle": "off",
    "import/no-unassigned-import": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "vitest/require-mock-type-parameters": "off",
  },
  overrides: [
    {
      // These run under whatever Node a machine has.
      files: ["scripts/*.cjs"],
      rules: { "unicorn/prefer-node-protocol": "off" },
    },
    {
      files: ["**/*.config.ts"],
      rules: { "import/no-default-export": "off" },
    },
    {
      files: ["**/*.test.ts", "**/*.test.tsx", "**/test/**", "**/*.contract.ts", "bench/**"],
      rules: {
        // Properties of fast-check are tests by another name.
        "vitest/no-standalone-expect": "off",
        "unicorn/consistent-function-scoping": "off",
        "eslint/max-lines-per-function": "off",
        "typescript/no-non-null-assertion": "off",
      },
    },
    {
      files: ["**/*.browser.test.ts", "**/*.browser.long.test.ts"],
      rules: {
        // To wait for what a person sees is to assert it.
        "vitest/expect-expect": [
          "error",
          { assertFunctionNames: ["expect", "sees", "finds", "loses"] },
        ],
      },
    },
    {
      files: ["packages/web/src/**"],
      plugins: ["typescript", "unicorn", "oxc", "import", "promise", "react", "jsx-a11y", "vitest"],
      rules: {
        // The JSX of React 19 needs none in scope.
        "react/react-in-jsx-scope": "off",
        "react/no-danger": "error",
        "react/rules-of-hooks": "error",
        "react/exhaustive-deps": "error",
        // The list of a combobox, a log and their like have no tag of their own.
        "jsx-a11y/prefer-tag-over-role": "off",
        // Functions made where they are used are cheap; rows are memoised on their item.
        "react-perf/jsx-no-new-function-as-prop": "off",
      },
    },
    importRule(
      ["packages/shell/src/**"],
      [
        ...["agent", "client", "gateway", "protocol", "sandbox"].map((name) => `@landline/${name}`),
        ...allTouches.filter((name) => !name.startsWith("@landline/shell")),
        "node:net",
      ],
      "shell analyses command lines: it reads the disk, and starts and sends nothing.",
    ),
    importRule(
      ["packages/sandbox/src/**"],
      [
        "@landline/gateway",
        "@landline/agent",
        "@landline/protocol",
        ...touches.testing,
        // Its proxy speaks HTTP, by the modules of Node alone.
        ...touches.http.filter((name) => !name.startsWith("node:")),
        ...touches.sql,
      ],
      "sandbox confines programs, for the agent and the gateway.",
    ),
    importRule(
      ["packages/system/src/**"],
      ["@landline/*", ...touches.http],
      "system knows the operating system, and no other package of ours.",
    ),
    importRule(
      ["packages/client/src/**"],
      [
        "node:*",
        "@landline/gateway",
        "@landline/agent",
        "@landline/system/*",
        "@landline/protocol/*",
        "zod",
        "ws",
        ...touches.testing,
        ...touches.commands,
      ],
      "client runs in browsers too: no Node, and nothing heavy.",
    ),
    importRule(
      ["packages/web/src/**"],
      ["node:*", "@landline/gateway", "@landline/agent", ...touches.testing, ...touches.commands],
      "web is a page: what it knows of the gateway, the client tells it.",
    ),
    importRule(
      ["packages/web/src/ui/**"],
      ["@landline/client", "@landline/client/*", "@landline/protocol"],
      "ui is looks: it knows no session.",
    ),
    importRule(
      ["packages/web/src/message/**"],
      [
        "node:*",
        "@landline/gateway",
        "@landline/agent",
        ...touches.testing,
        ...[
          "requests",
          "composer",
          "panel",
          "sessions",
          "settings",
          "shell",
          "thread",
          "tools",
        ].map(within),
      ],
      "message is what is written, wherever: it knows neither the composer nor the form that it is written in.",
    ),
    importRule(
      ["packages/protocol/src/**"],
      ["node:*", "@landline/*", "react", "ws", "@agentclientprotocol/sdk/experimental/*"],
      "protocol is pure: no Node, no DOM, no I/O, no other package of ours.",
    ),
    importRule(
      ["packages/testing/src/**"],
      ["@landline/gateway", "@landline/gateway/*", "@landline/agent", "@landline/client"],
      "testing plays the other side of the wire: it knows the protocol and nothing of ours behind it.",
    ),
    importRule(
      ["packages/gateway/src/log/**"],
      [
        ...allTouches,
        "node:net",
        ...["agents", "acp-connection", "index", "server", "acp-client", "sessions"].map(within),
      ],
      "log knows how events are kept, and nothing else.",
    ),
    importRule(
      ["packages/gateway/src/index/**"],
      [
        ...touches.processes,
        ...touches.http,
        ...touches.testing,
        "node:net",
        ...["agents", "acp-connection", "server", "acp-client", "sessions"].map(within),
      ],
      "index knows SQL and reads the log; it is fed by events alone.",
    ),
    importRule(
      ["packages/gateway/src/agents/**"],
      [
        ...touches.sql,
        // Agents at addresses are reached by WebSocket too.
        ...touches.http.filter((name) => name !== "ws"),
        ...touches.testing,
        ...touches.commands,
        ...["log", "index", "server", "acp-client", "sessions", "sign-in"].map(within),
      ],
      "agents knows processes; sessions decide what happens with a message.",
    ),
    importRule(
      ["packages/gateway/src/acp-connection/**"],
      [
        ...allTouches,
        "node:net",
        ...["log", "index", "agents", "server", "acp-client", "sessions", "sign-in"].map(within),
      ],
      "acp-connection knows JSON-RPC over a pair of streams, to an agent or to a client.",
    ),
    importRule(
      ["packages/gateway/src/acp-v2/**"],
      [
        ...allTouches,
        "node:net",
        "node:fs",
        "node:fs/*",
        ...[
          "log",
          "index",
          "agents",
          "server",
          "acp-client",
          "acp-connection",
          "sessions",
          "sign-in",
        ].map(within),
      ],
      "acp-v2 translates messages between two versions of ACP.",
    ),
    importRule(
      ["packages/gateway/src/data-folder/**"],
      [...allTouches, "node:net", ...["log", "index", "agents", "server"].map(within)],
      "data-folder knows who owns the data folder and where things are in it.",
    ),
    importRule(
      ["packages/gateway/src/sessions/**"],
      [...allTouches, "node:net", within("server")],
      "sessions decides what happens; processes, SQL and HTTP are others' business.",
    ),
    importRule(
      ["packages/gateway/src/sign-in/**"],
      [...allTouches, "node:net", ...["log", "index", "server", "sessions"].map(within)],
      "sign-in signs in to agents and out of them; it knows no session.",
    ),
    importRule(
      ["packages/gateway/src/acp-client/**"],
      [
        ...touches.sql,
        ...touches.http,
        ...touches.testing,
        "node:net",
        ...["log", "index", "agents", "acp-connection", "server", "sessions"].map(within),
      ],
      "acp-client does what an ACP client owes an agent, and records it through its context.",
    ),
    valueRule(
      ["packages/gateway/src/tool-calls/**"],
      [
        ...allTouches,
        "node:*",
        ...["log", "index", "agents", "acp-connection", "server", "acp-client", "sessions"].map(
          within,
        ),
      ],
      "tool-calls reads what agents say of their calls, for acp-client and index alike; it touches nothing.",
    ),
    importRule(
      ["packages/gateway/src/server/**"],
      [
        ...touches.processes,
        ...touches.sql,
        ...touches.testing,
        ...touches.commands,
        within("agents"),
      ],
      "server knows HTTP: authentication, routes and transports.",
    ),
    importRule(
      ["packages/gateway/src/telemetry/**"],
      [
        ...allTouches,
        ...["agents", "acp-connection", "index", "server", "acp-client", "sessions"].map(within),
      ],
      "observe is told things, and asks nobody.",
    ),
    ...agentImportRules(),
  ],
});
