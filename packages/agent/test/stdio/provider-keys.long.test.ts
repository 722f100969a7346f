import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { AgentProcess } from "./agent-process.ts";

const names = ["MY_KEY", "COPIED_KEY", "STORED_KEY", "HEADER_KEY", "STRIPE_API_KEY"];
const environment = {
  MY_KEY: "key-of-the-config",
  COPIED_KEY: "key-of-the-config",
  STORED_KEY: "key-of-the-login",
  HEADER_KEY: "key-of-the-headers",
  STRIPE_API_KEY: "key-of-the-person",
};
/** Each line is a name and the value that the program sees. */
const report = `for name in ${names.join(" ")}; do echo "$name=$(printenv $name)"; done`;

const config = {
  local_providers: false,
  permission: { "*": "allow" },
  provider: {
    mine: {
      options: {
        baseURL: "http://127.0.0.1:9/v1",
        apiKey: "{env:MY_KEY}",
        headers: { Authorization: "Bearer {env:HEADER_KEY}" },
      },
    },
  },
  formatter: { look: { command: ["sh", "-c", `(${report}) > seen-by-formatter`] } },
};

const tool = `
  import { writeFileSync } from "node:fs";
  export const description = "Writes what it sees";
  const seen = () => ${JSON.stringify(names)}.map((name) => name + "=" + (process.env[name] ?? "")).join("\\n") + "\\n";
  writeFileSync("seen-by-describe", seen());
  export const run = () => { writeFileSync("seen-by-tool", seen()); return "done"; };
`;

const script = [
  { calls: [{ tool: "bash", input: { command: `(${report}) > seen-by-bash` } }] },
  { calls: [{ tool: "write", input: { filePath: "made.txt", content: "one" } }] },
  { calls: [{ tool: "look", input: {} }] },
  { say: "Done." },
];

const seen = ["seen-by-bash", "seen-by-formatter", "seen-by-describe", "seen-by-tool"];

afterEach(() => void vi.unstubAllEnvs());

test.each([
  ["on this machine", "bare", {}],
  ["on this machine without a sandbox", "bare", { sandbox: false }],
  ["in the client's terminal", "execvp", { sandbox: false }],
] as const)("programs that run %s inherit no provider key", async (_where, client, more) => {
  // The client was started from the same shell as the agent.
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  await using agent = await AgentProcess.start(["--script", "../script.jsonl"], {
    ...environment,
    LANDLINE_AGENT_CONFIG_CONTENT: JSON.stringify({ ...config, ...more }),
  });
  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(agent.home, path)), { recursive: true });
    await writeFile(join(agent.home, path), text);
  };
  await put("script.jsonl", script.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await put(".config/landline/tools/look.mjs", tool);
  const keys = { version: 1, keys: { openai: environment.STORED_KEY } };
  await put(".config/landline/agent-credentials.json", JSON.stringify(keys));

  await using persona = agent.visitor(client);
  await persona.initialize();
  const { sessionId } = await persona.open(agent.cwd);
  await persona.prompt(sessionId, "go");
  expect(persona.terminals.created.length > 0).toBe(client === "execvp");
  for (const file of seen) {
    const text = await readFile(join(agent.cwd, file), "utf8");
    expect(`${file}\n${text}`).toBe(
      `${file}\nMY_KEY=\nCOPIED_KEY=\nSTORED_KEY=\nHEADER_KEY=\nSTRIPE_API_KEY=key-of-the-person\n`,
    );
  }
});
