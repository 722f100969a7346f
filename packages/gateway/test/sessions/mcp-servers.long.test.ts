import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import type { Session } from "../../src/sessions/sessions.ts";
import { ScriptedGateway, turn, Watcher } from "./scripted-gateway.ts";

const secret = "s3cret-key-of-mine";
const server = (name: string): McpServer => ({
  name,
  command: "docs-server",
  args: ["--stdio"],
  env: [{ name: `KEY_OF_${name}`, value: secret }],
});

/** Reports by its title, which is not history, which servers it received and how. */
const telling = (how: string) => [
  {
    match: { mcpServers: [{}] },
    before: [{ title: `${how}: {{params.mcpServers.0.env.0.name}}` }],
  },
  { before: [{ title: `${how}: none` }] },
];
const agent = (agentCapabilities: object) => ({
  initialize: { agentCapabilities },
  turns: [{ match: "/./", steps: [{ say: "Done." }] }],
  answers: Object.fromEntries(
    ["new", "load", "resume", "fork"].map((how) => [`session/${how}`, telling(how)]),
  ),
});

const fileOf = (gateway: ScriptedGateway, { id }: Session) =>
  path.join(gateway.data, "sessions", id, "mcp-servers.json");
const open = (gateway: ScriptedGateway, mcpServers?: McpServer[]) =>
  gateway.sessions.open({
    agent: "agent",
    cwd: gateway.project,
    by: "tester",
    ...(mcpServers && { mcpServers }),
  });

/** Restarts the gateway, and the agent with a prompt; returns the session, whose title lists the servers. */
async function again(gateway: ScriptedGateway, { id }: Session): Promise<Session> {
  await gateway.stop();
  await gateway.start();
  const session = await gateway.sessions.get(id);
  using watcher = new Watcher(session, session.log.visible);
  await turn(session, watcher, "go on");
  return session;
}

/** All content of the data folder, except for the files of the MCP servers. */
async function elsewhere(gateway: ScriptedGateway): Promise<string> {
  const entries = await fs.readdir(gateway.data, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== "mcp-servers.json");
  const texts = files.map(({ parentPath, name }) => fs.readFile(path.join(parentPath, name)));
  return Buffer.concat(await Promise.all(texts)).toString("latin1");
}

test.each([
  ["resume", { sessionCapabilities: { resume: {} } }],
  ["load", { loadSession: true }],
  ["new", {}],
])(
  "an agent that is restored by %s after a restart of the gateway gets its MCP servers",
  async (how, capabilities) => {
    await using gateway = await ScriptedGateway.open({ agent: agent(capabilities) });
    const opened = await open(gateway, [server("docs")]);
    expect((await fs.stat(fileOf(gateway, opened))).mode & 0o777).toBe(0o600);
    const session = await again(gateway, opened);
    expect(session.summary.title).toBe(`${how}: KEY_OF_docs`);
    await gateway.stop();
    expect(await elsewhere(gateway)).not.toContain(secret);
  },
);

test("a fork has the MCP servers too, and deleting a session deletes its own", async () => {
  const capabilities = { sessionCapabilities: { resume: {}, fork: {} } };
  await using gateway = await ScriptedGateway.open({ agent: agent(capabilities) });
  const opened = await open(gateway, [server("docs")]);
  {
    using watcher = new Watcher(opened);
    await turn(opened, watcher, "begin");
  }
  const fork = await opened.fork("tester");
  await gateway.sessions.delete(opened.id, "tester");
  await expect(fs.stat(fileOf(gateway, opened))).rejects.toMatchObject({ code: "ENOENT" });
  const session = await again(gateway, fork);
  expect(session.summary.title).toBe("new: KEY_OF_docs (fork)");
  // Its agent was not started before the gateway ended, and has the copy.
  using watcher = new Watcher(session);
  expect(await watcher.until("agent-started")).toMatchObject({ how: "resume" });
});

test("an empty list stays empty, and project servers follow the config", async () => {
  const projects: { folder: string; mcpServers: McpServer[] }[] = [];
  const capabilities = { sessionCapabilities: { resume: {} } };
  await using gateway = await ScriptedGateway.open(
    { agent: agent(capabilities) },
    {},
    { projects },
  );
  projects.push({ folder: gateway.project, mcpServers: [server("before")] });
  const [none, some] = [await open(gateway, []), await open(gateway)];
  expect(some.summary.title).toBe("new: KEY_OF_before");
  projects.splice(0, 1, { folder: gateway.project, mcpServers: [server("after")] });
  expect((await again(gateway, none)).summary.title).toBe("resume: none");
  expect((await again(gateway, some)).summary.title).toBe("resume: KEY_OF_after");
  await expect(fs.stat(fileOf(gateway, some))).rejects.toMatchObject({ code: "ENOENT" });
});

test("a damaged MCP server file is reported without its content", async () => {
  await using gateway = await ScriptedGateway.open({ agent: agent({ loadSession: true }) });
  const opened = await open(gateway, [server("docs")]);
  await fs.writeFile(fileOf(gateway, opened), `[{"name":5,"command":"${secret}"}]`);
  const session = await again(gateway, opened);
  using watcher = new Watcher(session);
  expect(await watcher.until("error")).toMatchObject({
    code: "folder-unusable",
    message: expect.stringContaining("mcp-servers.json"),
    help: expect.stringContaining("delete it"),
  });
  await fs.rm(fileOf(gateway, opened));
  await turn(session, watcher, "go on");
  expect(session.summary.title).toBe("load: none");
  expect(JSON.stringify(watcher.events)).not.toContain(secret);
});
