import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LandlineError } from "@landline/protocol";
import { expect, test } from "vitest";
import { Heard, prompt, TestAgentHost, startedWith } from "./test-agent-host.ts";

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error("It was started.");
    },
    (error: unknown) => error as LandlineError,
  );

test("initialize exchanges the names and capabilities of agent and gateway", async () => {
  await using stage = await TestAgentHost.open();
  const entry = stage.entry({
    initialize: {
      agentInfo: { name: "gemini-cli", version: "3" },
      agentCapabilities: { loadSession: true },
      authMethods: [{ id: "login", name: "Log in" }],
    },
    turns: [{ steps: [{ say: "{{client.clientInfo.name}} {{client.clientCapabilities}}" }] }],
  });
  const heard = new Heard();
  const agent = await stage.host.start({
    entry,
    cwd: stage.folder,
    roots: [],
    clientCapabilities: { terminal: true },
    limits: stage.limits,
    handlers: heard,
  });
  expect(agent.info).toEqual({ name: "gemini-cli", version: "3" });
  expect(agent.capabilities).toEqual({ loadSession: true });
  expect(agent.authMethods).toEqual([{ id: "login", name: "Log in" }]);
  expect(agent.quirks).toEqual({ missingFileIsEmpty: true, relativePaths: false });
  const { turn } = await prompt(agent, stage.folder, "who?");
  await turn;
  expect(heard.text).toBe('landline {"terminal":true}');
});

test("the environment is the user's without Landline's variables", async () => {
  await using stage = await TestAgentHost.open({
    host: {
      environment: {
        ...process.env,
        LANDLINE_TOKEN: "hidden",
        LANDLINE_ANYTHING: "hidden",
        npm_lifecycle_event: "start",
        PROVIDER_API_KEY: "kept",
      },
    },
  });
  const heard = new Heard();
  const entry = stage.entry(
    { turns: [{ steps: [{ environment: true }] }] },
    { env: { ADDED: "by the entry" } },
  );
  const agent = await stage.start(entry, heard);
  const { turn } = await prompt(agent, stage.folder, "env");
  await turn;
  const environment = JSON.parse(heard.text) as Record<string, string>;
  const ours = Object.keys(environment).filter((name) => /^(LANDLINE|npm_lifecycle)_/.test(name));
  expect(ours).toEqual(["LANDLINE_AGENT_MARK", "LANDLINE_GATEWAY_DATA"]);
  expect(environment).toMatchObject({
    LANDLINE_AGENT_MARK: agent.mark,
    PROVIDER_API_KEY: "kept",
    ADDED: "by the entry",
    PATH: process.env["PATH"],
  });
});

test("initialize times out, and the agent is ended", async () => {
  await using stage = await TestAgentHost.open({
    limits: { initializeMs: 400, agentInputMs: 20_000 },
  });
  const entry = stage.entry({
    atStart: [{ stderr: "still thinking" }],
    answers: { initialize: { never: true } },
  });
  const error = await failure(stage.start(entry));
  expect(error).toMatchObject({
    code: "timeout",
    message: "Scripted: The agent did not answer initialize within 400 ms.",
    data: { agent: "scripted", stderr: "still thinking\n" },
  });
  expect(startedWith(stage.folder)).toEqual([]);
});

test("a slow agent starts within the timeout", async () => {
  await using stage = await TestAgentHost.open();
  const agent = await stage.start(stage.entry("silent"));
  expect(agent.info?.name).toBe("silent");
});

test("garbage before the answer is noise", async () => {
  await using stage = await TestAgentHost.open();
  const heard = new Heard();
  const entry = stage.entry({ atStart: [{ garbage: "npm warn old" }, { bytes: "fffe0a" }] });
  const agent = await stage.start(entry, heard);
  await agent.stop();
  expect(heard.noises.flatMap(({ lines }) => lines)).toContain("npm warn old");
});

test("an exit before initialize reports the exit code and the end of stderr", async () => {
  await using stage = await TestAgentHost.open();
  const entry = stage.entry({ atStart: [{ stderr: "Cannot find module 'x'" }, { crash: 3 }] });
  const heard = new Heard();
  const error = await failure(stage.start(entry, heard));
  expect(error).toMatchObject({
    code: "agent-start-failed",
    message:
      "Scripted ended with exit code 3 before it answered initialize. stderr: Cannot find module 'x'",
    data: { exitCode: 3, signal: null, stderr: "Cannot find module 'x'\n" },
  });
  expect(heard.closes).toBe(1);
});

test("an exit by a signal before initialize reports the signal", async () => {
  await using stage = await TestAgentHost.open();
  const error = await failure(
    stage.start(stage.entry({ atStart: [{ crash: { signal: "SIGKILL" } }] })),
  );
  expect(error.message).toBe(
    "Scripted was ended by the signal SIGKILL before it answered initialize.",
  );
});

test("an agent that closes its output and keeps running is ended", async () => {
  await using stage = await TestAgentHost.open();
  const script = "exec >&-; trap '' TERM; while :; do sleep 0.1; done";
  const entry = stage.entry("hello", { command: "/bin/sh", args: ["-c", script] });
  const error = await failure(stage.start(entry));
  expect(error).toMatchObject({
    code: "agent-start-failed",
    message: "Scripted closed its output before it answered initialize.",
    data: { signal: "SIGKILL" },
  });
});

test.each([
  [
    "an error",
    { error: { code: -32603, message: "No licence" } },
    "agent-start-failed",
    "No licence",
  ],
  [
    "another version",
    { result: { protocolVersion: 2 } },
    "agent-protocol-error",
    "version 2 of ACP",
  ],
  [
    "an invalid form",
    { result: { protocolVersion: "x" } },
    "agent-protocol-error",
    "protocolVersion",
  ],
  ["no result", { raw: {} }, "agent-protocol-error", "neither"],
])("%s as the answer is a clear error", async (_, answer, code, words) => {
  await using stage = await TestAgentHost.open();
  const error = await failure(stage.start(stage.entry({ answers: { initialize: answer } })));
  expect(error.code).toBe(code);
  expect(error.message).toContain(words);
  expect(error.data).toMatchObject({ agent: "scripted", exitCode: 0 });
});

test("a response without a version means version 1", async () => {
  await using stage = await TestAgentHost.open();
  const agent = await stage.start(
    stage.entry({
      answers: { initialize: { result: { serverInfo: { name: "s", version: "1" } } } },
    }),
  );
  expect(agent.info).toEqual({ name: "s", version: "1" });
  expect(agent.capabilities).toEqual({});
});

test("a missing command fails", async () => {
  await using stage = await TestAgentHost.open();
  const error = await failure(stage.start(stage.entry("hello", { command: "no-such-agent" })));
  expect(error).toMatchObject({
    code: "agent-start-failed",
    message: 'Scripted could not be started: there is no program "no-such-agent" on the PATH.',
    data: { reason: "ENOENT", stderr: "" },
  });
});

test("a missing folder fails", async () => {
  await using stage = await TestAgentHost.open();
  const missing = join(stage.folder, "missing");
  const error = await failure(stage.start(stage.entry("hello", { cwd: missing })));
  expect(error.message).toContain(`the folder ${missing} does not exist`);
});

test("a program without execute permission fails", async () => {
  await using stage = await TestAgentHost.open();
  const command = join(stage.folder, "agent.sh");
  await writeFile(command, "#!/bin/sh\n");
  await chmod(command, 0o600);
  const error = await failure(stage.start(stage.entry("hello", { command, args: [] })));
  expect(error).toMatchObject({ code: "agent-start-failed", data: { reason: "EACCES" } });
  expect(error.help).toContain("chmod +x");
});

test("an invalid argument fails", async () => {
  await using stage = await TestAgentHost.open();
  const error = await failure(stage.start(stage.entry("hello", { args: ["a\0b"] })));
  expect(error).toMatchObject({ code: "agent-start-failed" });
});

test("nothing starts if the journal can't be written", async () => {
  await using stage = await TestAgentHost.open({
    host: { folder: { path: "/proc/no-such-folder" } },
  });
  const error = await failure(stage.start(stage.entry("hello")));
  expect(error).toMatchObject({ code: "agent-start-failed" });
  expect(error.message).toContain("can't write to the data folder");
});

test("two agents run independently", async () => {
  await using stage = await TestAgentHost.open();
  const [one, other] = await Promise.all([
    stage.start(stage.entry("crash")),
    stage.start(stage.entry("hello")),
  ]);
  expect(one.mark).not.toBe(other.mark);
  const { turn } = await prompt(one, stage.folder, "now");
  await expect(turn).rejects.toMatchObject({ code: "connection-lost" });
  expect(await one.exited).toEqual({
    code: 3,
    signal: null,
    stderr: "Fatal: the scenario says so\n",
  });
  const { turn: answer } = await prompt(other, stage.folder, "hello");
  expect(await answer).toMatchObject({ stopReason: "end_turn" });
  await other.stop();
});
