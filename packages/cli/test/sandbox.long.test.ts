import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isSkipped } from "../../sandbox/test/skipped.ts";
import { Home } from "./landline.ts";

/** Runs each prompt in a shell, and answers with its output. */
const shellAgent = `
import { spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  "session/new": () => ({ sessionId: "1" }),
  "session/prompt": ({ prompt }) => {
    const { stdout, stderr } = spawnSync("/bin/bash", ["-c", prompt[0].text], { encoding: "utf8" });
    const content = { type: "text", text: stdout + stderr };
    const update = { sessionUpdate: "agent_message_chunk", content };
    send({ method: "session/update", params: { sessionId: "1", update } });
    return { stopReason: "end_turn" };
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) send({ id, result: answers[method]?.(params) ?? {} });
}`;

/** Sends each prompt to the gateway as a request, and answers with the response. */
const requestingAgent = `
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
let prompted;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === "initialize") send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  else if (method === "session/new") send({ id, result: { sessionId: "1" } });
  else if (method === "session/prompt") {
    prompted = id;
    send({ id: "asked", ...JSON.parse(params.prompt[0].text) });
  } else if (id === "asked") {
    const content = { type: "text", text: JSON.stringify({ result, error }) };
    const update = { sessionUpdate: "agent_message_chunk", content };
    send({ method: "session/update", params: { sessionId: "1", update } });
    send({ id: prompted, result: { stopReason: "end_turn" } });
  } else if (id !== undefined) send({ id, result: {} });
}`;

describe.skipIf(isSkipped)("an agent that the config confines", () => {
  let home: Home;
  beforeEach(async () => {
    home = await Home.make();
    for (const folder of ["project", "agents", ".ssh", "shared"]) await mkdir(home.path(folder));
    await writeFile(home.path("agents/agent.mjs"), shellAgent);
    await writeFile(home.path(".ssh/id_rsa"), "KEY");
    await writeFile(home.path("project/README.md"), "readme\n");
    await writeFile(home.path("project/.env"), "SECRET");
  });
  afterEach(() => home[Symbol.asyncDispose]());

  async function run(line: string, sandbox: unknown, environment: Record<string, string> = {}) {
    const agents = [
      { id: "shell", command: process.execPath, args: [home.path("agents/agent.mjs")] },
    ];
    const policy = { shell: { sandbox } };
    await writeFile(
      home.path("config.json"),
      JSON.stringify({ port: 0, agents, defaultAgent: "shell", policy }),
    );
    const running = home.start(["run", line, "--cwd", "project", "--quiet"], {
      LC_ALL: "C",
      ...environment,
    });
    running.child.stdin.end();
    return running.ended;
  }

  /** The events of the only session. */
  async function logged(): Promise<{ kind?: string }[]> {
    const sessions = join(home.data, "sessions");
    const [id = ""] = await readdir(sessions);
    const names = await readdir(join(sessions, id));
    const segment = names.find((name) => name.endsWith(".ndjson")) ?? "";
    const lines = (await readFile(join(sessions, id, segment), "utf8")).trim().split("\n");
    return lines.map((line) => JSON.parse(line) as { kind?: string });
  }

  it("reads and changes its project, and no other file of the user", async () => {
    const line = "cat README.md; echo new > new.txt; cat .env ~/.ssh/id_rsa; echo x > ~/x";
    const { stdout } = await run(line, true);
    expect(stdout.split("\n").slice(0, 4)).toEqual([
      "readme",
      "cat: .env: Permission denied",
      `cat: ${home.path(".ssh/id_rsa")}: No such file or directory`,
      expect.stringMatching(/: Read-only file system$/),
    ]);
    expect(await readFile(home.path("project/new.txt"), "utf8")).toBe("new\n");
  });

  it("sees neither the data folder nor other processes", async () => {
    const { stdout } = await run(`ls ${home.data}; ls -d /proc/[0-9]* | wc -l`, true);
    expect(stdout).toContain("No such file or directory");
    expect(Number.parseInt(stdout, 10)).toBeLessThan(10);
  });

  it("does not see the data folder in a folder that the config lets it read", async () => {
    const line = `cat README.md ~/.ssh/id_rsa ${home.data}/tokens.json; ls ${home.data}`;
    const { stdout } = await run(line, { read: ["~"] });
    expect(stdout.split("\n").slice(0, 4)).toEqual([
      "readme",
      expect.stringMatching(/id_rsa: Permission denied$/),
      expect.stringMatching(/tokens.json: Permission denied$/),
      expect.stringMatching(/^ls: .*Permission denied$/),
    ]);
  });

  it("cannot get a credential through the gateway", async () => {
    await writeFile(home.path("agents/agent.mjs"), requestingAgent);
    const ask = (name: string) => {
      const params = { sessionId: "1", path: home.path(`project/${name}`) };
      return run(JSON.stringify({ method: "fs/read_text_file", params }), true);
    };
    expect((await ask("README.md")).stdout).toContain('"content":"readme');
    expect((await ask(".env")).stdout).toMatch(/"error".*guards the file/);
  });

  it("changes what the config allows, and has no network if that is off", async () => {
    const sandbox = { write: ["~/shared"], network: "off" };
    const { stdout } = await run(
      "echo x > ~/shared/x && ls /sys/class/net; cat ~/shared/x",
      sandbox,
    );
    expect(await readFile(home.path("shared/x"), "utf8")).toBe("x\n");
    expect(stdout.trim().split("\n").at(-1)).toBe("x");
    const connect = await run("echo > /dev/tcp/127.0.0.1/1", sandbox);
    expect(connect.stdout).toMatch(/refused|unreachable/);
  });

  it("reaches the hosts of a list, and the log records its confinement", async () => {
    await using server = createServer((_, response) => response.end("reached\n"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const network = [`127.0.0.1:${port}`];
    const script = `for (const at of ["127.0.0.1:${port}", "127.0.0.2:${port}"])
      require("node:http").get("http://" + at, (answer) => answer.pipe(process.stdout));`;
    const { stdout } = await run(
      `'${process.execPath}' -e '${script}'; echo > /dev/tcp/127.0.0.1/${port}`,
      { network },
    );
    expect(stdout).toContain("reached\n");
    expect(stdout).toContain(`The sandbox refused the connection to 127.0.0.2:${port}`);
    expect(stdout).toContain("Connection refused");
    const started = (await logged()).find(({ kind }) => kind === "agent-started");
    expect(started).toMatchObject({ confinement: { sandbox: "bubblewrap", network } });
    expect(await readdir(join(home.data, "sandbox/network"))).toEqual([]);
  });

  it("is not started without a sandbox", async () => {
    const ended = await run("echo started", true, { PATH: home.path("agents") });
    expect(ended.code).not.toBe(0);
    expect(ended.stdout).toBe("");
    expect(ended.stderr).toContain("cannot be confined: bubblewrap is not installed.");
  });

  it("is not confined without configuration", async () => {
    const { stdout } = await run("cat .env ~/.ssh/id_rsa", false);
    expect(stdout).toBe("SECRETKEY\n");
    const started = (await logged()).find(({ kind }) => kind === "agent-started");
    expect(started).toMatchObject({ confinement: null });
  });
});

describe.skipIf(isSkipped)("--yes", () => {
  it("allows a command of the built-in agent, but does not let it out of its sandbox", async () => {
    await using home = await Home.make();
    for (const folder of ["project", "outside"]) await mkdir(home.path(folder));
    await writeFile(home.path("project/act.sh"), "echo x > made\necho x > ../outside/made\n");
    const options = ["--agent", "landline", "--cwd", "project", "--yes"];
    const { stderr } = await home.landline("run", "run sh act.sh", ...options);
    expect(await readdir(home.path("outside"))).toEqual([]);
    expect(await readFile(home.path("project/made"), "utf8")).toBe("x\n");
    expect(stderr).toContain("Only a person can let a command out of the sandbox");
  });
});
