import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mcpServerCommand } from "@landline/testing/mcp-servers";
import { expect, test } from "vitest";
import { AgentProcess } from "./agent-process.ts";

const prompt = (sessionId: string, text: string) => ({
  sessionId,
  prompt: [{ type: "text", text }],
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("the official client drives a turn with an edit and a permission", async () => {
  await using agent = await AgentProcess.start();
  await using persona = agent.visitor("full");
  await writeFile(join(agent.cwd, "a.txt"), "one apple\n");
  await persona.initialize();
  const { sessionId } = await persona.open(agent.cwd);
  const answer = await persona.prompt(sessionId, 'replace "apple" with "pear" in a.txt');
  expect(answer.stopReason).toBe("end_turn");
  expect(persona.permissions).toHaveLength(1);
  expect(await readFile(join(agent.cwd, "a.txt"), "utf8")).toBe("one pear\n");
  expect(persona.wire.faults()).toEqual([]);
  agent.child.stdin.end();
  expect(await agent.ended).toEqual({ code: 0, signal: null });
  expect(agent.stderr).toBe("");
});

test("every line on stdout is ACP, through a whole session", async () => {
  await using agent = await AgentProcess.start();
  await agent.initialize();
  const sessionId = await agent.open();
  await agent.request(2, "session/prompt", prompt(sessionId, "plan: one; two"));
  await agent.request(3, "session/set_mode", { sessionId, modeId: "plan" });
  await agent.request(4, "session/set_config_option", {
    sessionId,
    configId: "permissions",
    value: "allow-all",
  });
  await agent.request(5, "session/prompt", prompt(sessionId, "/status"));
  await agent.request(6, "session/load", { sessionId, cwd: agent.cwd, mcpServers: [] });
  await agent.request(7, "session/fork", { sessionId, cwd: agent.cwd });
  await agent.request(8, "session/list", {});
  await agent.request(9, "session/delete", { sessionId });
  await agent.request(10, "session/prompt", prompt(sessionId, "gone"));
  await agent.request(11, "no/such/method", {});
  agent.child.stdin.end();
  expect(await agent.ended).toEqual({ code: 0, signal: null });
  expect(agent.wire.faults()).toEqual([]);
  expect(agent.wire.messages).toContainEqual({
    from: "agent",
    message: expect.objectContaining({ id: 11, error: expect.objectContaining({ code: -32601 }) }),
  });
});

test("output of packages goes to stderr", async () => {
  const printing = `const { write } = process.stdout;
    process.stdout.write = (...args) => {
      process.stdout.write = write;
      console.log("before a message");
      return write.apply(process.stdout, args);
    };`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(printing)}`;
  await using agent = await AgentProcess.start([], { NODE_OPTIONS }, "text");
  agent.send({ id: 0, method: "initialize", params: { protocolVersion: 1 } });
  agent.child.stdin.end();
  await agent.ended;
  expect(agent.stderr).toContain("before a message");
  expect(agent.lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ id: 0 }]);
});

test("older spellings are accepted, and never sent", async () => {
  await using agent = await AgentProcess.start();
  await agent.initialize();
  const [command, ...args] = Object.values(mcpServerCommand("tools")).flat();
  const { result } = await agent.request(1, "session/new", {
    cwd: agent.cwd,
    mcpServers: [{ type: "local", name: "things", command: [command, ...args] }],
  });
  const { sessionId } = result as { sessionId: string };
  const answer = await agent.request(2, "session/set_model", { sessionId, modelId: "demo/guide" });
  expect(answer).toMatchObject({ result: {} });
  const link = { type: "resource_link", uri: `file://${agent.cwd}/a.txt` };
  const turn = { sessionId, prompt: [{ type: "text", text: "/help" }, link] };
  expect(await agent.request(3, "session/prompt", turn)).toMatchObject({
    result: { stopReason: "end_turn" },
  });
  agent.send({ id: null, method: "session/cancel", params: { sessionId } });
  agent.child.stdin.end();
  expect((await agent.ended).code).toBe(0);
  expect(agent.wire.faults()).toEqual([]);
});

test("garbage, batches and requests before initialize are answered according to JSON-RPC", async () => {
  await using agent = await AgentProcess.start();
  agent.raw("this is not JSON\n");
  agent.raw('[{"jsonrpc":"2.0","id":1,"method":"initialize"}]\n');
  agent.raw("5\n\n");
  const early = { cwd: agent.cwd, mcpServers: [] };
  expect(await agent.request(7, "session/new", early)).toMatchObject({ error: { code: -32600 } });
  expect(await agent.request(8, "session/set_model", {})).toMatchObject({
    error: { code: expect.any(Number) },
  });
  const codes = agent.wire.messages.flatMap(({ from, message }) =>
    from === "agent" && message["id"] === null ? [(message["error"] as { code: number }).code] : [],
  );
  expect(codes).toEqual([-32700, -32600, -32600]);
  await agent.initialize();
  expect(await agent.request(9, "initialize", { protocolVersion: "one" })).toMatchObject({
    error: { code: expect.any(Number) },
  });
  agent.child.stdin.end();
  expect((await agent.ended).code).toBe(0);
});

test("invalid messages are answered with their id, and no error repeats the input", async () => {
  await using agent = await AgentProcess.start();
  await agent.initialize();
  const invalid: readonly [object | string, unknown][] = [
    [{ jsonrpc: "2.0", id: 40 }, 40],
    [{ jsonrpc: "2.0", id: "marker-41", method: { marker: "marker" } }, "marker-41"],
    [{ jsonrpc: "1.0", id: 42, method: "marker" }, 42],
    [{ jsonrpc: "2.0", id: ["marker"], method: "session/list" }, null],
    [{ marker: "marker" }, null],
    ["marker", null],
  ];
  for (const [message] of invalid) agent.raw(`${JSON.stringify(message)}\n`);
  const answered = await agent.request(43, "marker/method", { marker: "marker" });
  expect(answered).toMatchObject({ error: { code: -32601 } });
  const answers = agent.lines.slice(1).map((line) => JSON.parse(line) as Record<string, unknown>);
  const refusals = answers.filter(({ id }) => id !== 43);
  expect(refusals.map(({ id }) => id).toSorted(byText)).toEqual(
    invalid.map(([, id]) => id).toSorted(byText),
  );
  for (const refusal of refusals) expect(refusal).toMatchObject({ error: { code: -32600 } });
  expect(JSON.stringify(answers.map(({ error }) => error))).not.toContain("marker");
});

const byText = (one: unknown, other: unknown) => (String(one) < String(other) ? -1 : 1);

test("messages without jsonrpc are accepted, as seed 002 writes them", async () => {
  await using agent = await AgentProcess.start();
  const call = (id: number, method: string, params: object) => {
    agent.raw(`${JSON.stringify({ id, method, params })}\n`);
    return agent.wire.until((message) => message["id"] === id && message["method"] === undefined);
  };
  await call(0, "initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { result } = await call(1, "session/new", { cwd: agent.cwd, mcpServers: [] });
  const { sessionId } = result as { sessionId: string };
  const asked = agent.wire.until((message) => message["method"] === "session/request_permission");
  const ended = call(2, "session/prompt", prompt(sessionId, "create a.txt: one"));
  const { id } = await asked;
  const outcome = { outcome: "selected", optionId: "reject_once" };
  agent.raw(`${JSON.stringify({ id, result: { outcome } })}\n`);
  expect(await ended).toMatchObject({ result: { stopReason: "end_turn" } });
});

test("with --limits spec the error codes are those of seed 003", async () => {
  await using agent = await AgentProcess.start(["--limits", "spec"]);
  await agent.initialize();
  expect(await agent.request(1, "session/prompt", prompt("nobody", "hi"))).toMatchObject({
    error: { code: -31900, data: { reason: "session-not-found", code: -31900 } },
  });
  await using wrong = await AgentProcess.start(["--limits", "seed"]);
  expect((await wrong.ended).code).toBe(2);
  expect(wrong.stderr).toContain("--limits");
});

test("piped input is answered before the exit", async () => {
  await using agent = await AgentProcess.start();
  const hello = { protocolVersion: 1, clientCapabilities: {} };
  agent.send({ id: 1, method: "initialize", params: hello });
  agent.child.stdin.end();
  expect(await agent.ended).toEqual({ code: 0, signal: null });
  expect(agent.lines).toHaveLength(1);
  expect(JSON.parse(agent.lines[0] ?? "")).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
});

// The limit is one second; a machine that is busy with other tests gets three.
test("the end of input ends it quickly, even in the middle of a turn", async () => {
  await using agent = await AgentProcess.start();
  await agent.initialize();
  const sessionId = await agent.open();
  agent.send({ id: 2, method: "session/prompt", params: prompt(sessionId, "create a.txt: one") });
  await agent.wire.until((message) => message["method"] === "session/request_permission");
  const startedAt = performance.now();
  agent.child.stdin.end();
  expect(await agent.ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

test("a client that stops reading ends it too", async () => {
  await using agent = await AgentProcess.start();
  await agent.initialize();
  const sessionId = await agent.open();
  agent.child.stdout.destroy();
  agent.raw(
    `${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "session/prompt", params: prompt(sessionId, "think") })}\n`,
  );
  expect(await agent.ended).toEqual({ code: 0, signal: null });
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s ends it and all its child processes",
  async (signal) => {
    await using agent = await AgentProcess.start();
    await agent.initialize();
    const { command, args } = mcpServerCommand("tools");
    const { result } = await agent.request(1, "session/new", {
      cwd: agent.cwd,
      mcpServers: [{ name: "things", command, args, env: [] }],
    });
    const { sessionId } = result as { sessionId: string };
    await agent.request(2, "session/set_config_option", {
      sessionId,
      configId: "permissions",
      value: "allow-all",
    });
    await agent.request(3, "session/prompt", prompt(sessionId, "mcp things.where {}"));
    const pid = Number(/\\"pid\\":(\d+)/.exec(agent.lines.join("\n"))?.[1]);
    expect(isAlive(pid)).toBe(true);
    agent.child.kill(signal);
    expect(await agent.ended).toEqual({ code: 0, signal: null });
    expect(isAlive(pid)).toBe(false);
  },
);

test("a running command ends with it", async () => {
  await using agent = await AgentProcess.start();
  await agent.initialize();
  const sessionId = await agent.open();
  await agent.request(2, "session/set_config_option", {
    sessionId,
    configId: "permissions",
    value: "allow-all",
  });
  const line = "run sh -c 'echo $$ > pid; exec sleep 600'";
  agent.send({ id: 3, method: "session/prompt", params: prompt(sessionId, line) });
  const pidOf = () => readFile(join(agent.cwd, "pid"), "utf8").then(Number, () => 0);
  await expect.poll(pidOf).toBeGreaterThan(0);
  const pid = await pidOf();
  expect(isAlive(pid)).toBe(true);
  agent.child.stdin.end();
  expect(await agent.ended).toEqual({ code: 0, signal: null });
  expect(isAlive(pid)).toBe(false);
});

test("a client that disconnects while a session is opened leaves nothing running", async () => {
  await using agent = await AgentProcess.start();
  await agent.initialize();
  const { command, args } = mcpServerCommand("tools");
  const server = {
    name: "things",
    command: "/bin/sh",
    args: ["-c", `echo $$ > pid; exec ${command} ${args.join(" ")}`],
    env: [],
  };
  agent.send({ id: 1, method: "session/new", params: { cwd: agent.cwd, mcpServers: [server] } });
  agent.child.stdin.end();
  expect(await agent.ended).toEqual({ code: 0, signal: null });
  const pid = await readFile(join(agent.cwd, "pid"), "utf8").then(Number, () => null);
  expect(pid !== null && isAlive(pid)).toBe(false);
  expect(agent.stderr).toBe("");
});

test("a session of a killed process is complete, and can be continued", async () => {
  await using agent = await AgentProcess.start();
  await agent.initialize();
  const sessionId = await agent.open();
  agent.send({ id: 2, method: "session/prompt", params: prompt(sessionId, "create a.txt: one") });
  await agent.wire.until((message) => message["method"] === "session/request_permission");
  agent.child.kill("SIGKILL");
  await agent.ended;
  await using later = await AgentProcess.start([], { HOME: agent.home });
  await later.initialize();
  const place = { sessionId, cwd: agent.cwd, mcpServers: [] };
  expect(await later.request(1, "session/load", place)).toHaveProperty("result");
  expect(later.wire.updates().filter((update) => update["status"] === "failed")).toHaveLength(1);
  expect(await later.request(2, "session/prompt", prompt(sessionId, "think"))).toMatchObject({
    result: { stopReason: "end_turn" },
  });
  expect(later.wire.faults()).toEqual([]);
});
