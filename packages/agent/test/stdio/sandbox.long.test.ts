import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { bash, open, sh } from "./sandboxed-conversation.ts";

let bare: string;
beforeAll(async () => {
  bare = await mkdtemp(join(tmpdir(), "landline-bare-path-"));
  for (const name of ["sh", "bash", "cat", "ls", "touch", "git"]) {
    const file = execFileSync("which", [name], { encoding: "utf8" }).trim();
    await symlink(file, join(bare, name));
  }
});
afterAll(() => rm(bare, { recursive: true }));

describe.skipIf(isSkipped)("where a sandbox works", () => {
  test("`sandboxed` is offered first, after the answer to `session/new`, and `ask` is the default", async () => {
    await using conversation = await open([]);
    const opened = await conversation.open();
    expect(opened.level).toBe("ask");
    await conversation.optionsTold();
    expect(conversation.levels()).toEqual(["sandboxed", "ask", "accept-edits", "allow-all"]);
    const again = await conversation.open();
    expect(again.level).toBe("ask");
    expect(again.levels).toEqual(["sandboxed", "ask", "accept-edits", "allow-all"]);
    expect(conversation.notices()).toEqual([]);
    await conversation.prompt("/status");
    expect(conversation.said()).toContain("Sandbox for commands: works");
    expect(conversation.faults()).toEqual([]);
  });

  test.each([
    ["ask", 1, { sandbox: "bubblewrap", network: "on" }, { by: "person" }],
    ["accept-edits", 1, { sandbox: "bubblewrap", network: "on" }, { by: "person" }],
    ["sandboxed", 0, { sandbox: "bubblewrap", network: "off" }, { by: "level", name: "sandboxed" }],
    ["allow-all", 0, null, { by: "level", name: "allow-all" }],
  ] as const)("at %s a command asks %i times", async (level, asks, confinement, approval) => {
    await using conversation = await open([sh("make"), bash("cat made.txt"), "Done."]);
    await conversation.open();
    await conversation.choose(level);
    conversation.answer = () => "once";
    await conversation.prompt("Go.");
    expect(conversation.asks).toHaveLength(asks);
    expect(await readFile(conversation.path("project/made.txt"), "utf8")).toBe("made\n");
    const isAll = level === "allow-all";
    expect(conversation.executions()).toEqual([
      { confinement, approval },
      {
        confinement: isAll ? null : { sandbox: "bubblewrap", network: "off" },
        approval: { by: "read-only" },
      },
    ]);
    expect(conversation.faults()).toEqual([]);
  });

  test("each call records what allowed it", async () => {
    const steps = [
      bash("touch ruled.txt"),
      { tool: "read", input: { filePath: "act.sh" } },
      { tool: "todowrite", input: { todos: [] } },
      { tool: "write", input: { filePath: "a.txt", content: "a\n" } },
      { tool: "write", input: { filePath: "b.txt", content: "b\n" } },
      { tool: "missing", input: {} },
      sh("make"),
      "Done.",
    ];
    const permission = { bash: { "touch *": "allow" } };
    await using conversation = await open(steps, { config: { permission } });
    await conversation.open();
    conversation.answer = ({ title }) => (title.includes("a.txt") ? "always" : "reject");
    await conversation.prompt("Go.");
    expect(conversation.executions().map(({ approval }) => approval)).toEqual([
      { by: "rule", name: "bash: touch *" },
      { by: "read-only" },
      { by: "none" },
      { by: "person" },
      { by: "person", name: "always in this session" },
      { by: "none" },
      { by: "none" },
    ]);
    // Only the command that the rule allows ran in the sandbox.
    expect(
      conversation.executions().filter(({ confinement }) => confinement !== null),
    ).toHaveLength(1);
    const shown = conversation.executions();
    await conversation.load();
    expect(conversation.executions().slice(shown.length)).toEqual(shown);
  });

  test("a command leaves the sandbox by one request, for the session, once, or not at all", async () => {
    const steps = [
      sh("write"),
      sh("write"),
      sh("key"),
      sh("env"),
      sh("env"),
      sh("other"),
      sh("host host.example"),
      "Done.",
    ];
    await using conversation = await open(steps);
    await conversation.open();
    await conversation.choose("sandboxed");
    const answers = ["open", "reject", "open-once", "reject", "outside", "open", "reject"];
    conversation.answer = () => answers.shift() ?? "";
    await conversation.prompt("Go.");
    const outside = ["outside", "allow_once", "Run outside the sandbox once"];
    const reject = ["reject", "reject_once", "Reject"];
    const optionsWith = (...option: string[]) => [outside, option, reject];
    const [x, y] = [conversation.path("outside/x"), conversation.path("other")];
    const key = conversation.path(".ssh/id_rsa");
    const env = conversation.path("project/.env");
    expect(conversation.asks.map(({ options }) => options)).toEqual([
      optionsWith("open", "allow_always", `Allow changing "${x}" in this session`),
      optionsWith("open-once", "allow_once", `Allow reading "${key}" once`),
      optionsWith("open-once", "allow_once", `Allow reading "${env}" once`),
      optionsWith("open-once", "allow_once", `Allow reading "${env}" once`),
      optionsWith("open", "allow_always", `Allow changing any file in "${y}" in this session`),
      optionsWith("open", "allow_always", "Allow connecting to host.example in this session"),
      optionsWith("open-once", "allow_once", "Allow the whole network once"),
    ]);
    expect(conversation.asks[0]?.title).toBe("sh act.sh write (stopped by the sandbox)");
    expect(conversation.asks[0]?.text).toBe(
      [
        `The sandbox kept it from changing "${x}".`,
        `You can allow in this session: changing "${x}".`,
        "If you allow it, the command runs again from the beginning.",
      ].join("\n"),
    );
    expect(conversation.asks.every(({ meta }) => meta?.["landline/sandbox"] !== undefined)).toBe(
      true,
    );
    expect(conversation.asks[0]?.rawInput).toEqual({
      command: "sh act.sh write",
      stopped_by_sandbox: [`changing "${x}"`],
      opens_in_sandbox: [`changing "${x}"`],
    });
    const [write, writeAgain, readKey, readEnv, readEnvAgain, other, host] = conversation.outputs();
    expect(await readFile(x, "utf8")).toBe("x\n");
    expect(write).toContain("The person allowed, for this session, changing");
    expect(write).toContain("it was run again from the beginning, in the sandbox.");
    expect(writeAgain).not.toContain("sandbox");
    expect(readKey).toContain("The person rejected that. It was not run again.");
    expect(readKey).not.toContain("KEY");
    expect(readEnv).toContain("SECRET=1");
    expect(readEnvAgain).not.toContain("SECRET=1");
    expect(other).toContain("The person let it run outside the sandbox, once");
    expect(host).toContain("The person allowed, for this session, connecting to host.example");
    expect(await readFile(conversation.path("other/y"), "utf8")).toBe("y\n");
    expect(conversation.titles().slice(0, 3)).toEqual([
      "sh act.sh write",
      undefined,
      "sh act.sh key",
    ]);
    const inside = { sandbox: "bubblewrap", network: "off" };
    const byLevel = { by: "level", name: "sandboxed" };
    expect(conversation.executions()).toEqual([
      { confinement: inside, approval: { by: "person" } },
      { confinement: inside, approval: byLevel },
      { confinement: inside, approval: byLevel },
      { confinement: inside, approval: { by: "person" } },
      { confinement: inside, approval: byLevel },
      { confinement: null, hasLeftSandbox: true, approval: { by: "person" } },
      {
        confinement: { sandbox: "bubblewrap", network: ["host.example"] },
        approval: { by: "person" },
      },
    ]);
    expect(conversation.faults()).toEqual([]);
  });

  test("one request lists everything that was denied, and session permissions survive a restart", async () => {
    await using conversation = await open([
      bash("sh act.sh new 1; sh act.sh write; false"),
      "Done.",
    ]);
    await conversation.open();
    await conversation.choose("sandboxed");
    conversation.answer = () => "open";
    await conversation.prompt("Go.");
    expect(conversation.asks).toHaveLength(1);
    for (const name of ["outside/new-1", "outside/x"])
      expect(conversation.asks[0]?.text).toContain(
        `The sandbox kept it from changing "${conversation.path(name)}".`,
      );
    await conversation.kill();
    const home = conversation.path("");
    await using later = await open([sh("new 2"), sh("key"), "Done."], { home });
    await later.load(conversation.sessionId);
    await later.choose("sandboxed");
    later.answer = () => "reject";
    await later.prompt("Go.");
    expect(await readFile(later.path("outside/new-2"), "utf8")).toBe("x\n");
    expect(later.asks.map(({ title }) => title)).toEqual([
      "sh act.sh key (stopped by the sandbox)",
    ]);
  });

  test("a denied place is not asked about, and an allowed one is opened", async () => {
    const home = (name: string) => `~/${name}/*`;
    const permission = {
      external_directory: { [home("denied")]: "deny", [home("other")]: "allow" },
      external_host: { "evil.example": "deny" },
      webfetch: { "https://bad.example/*": "deny" },
    };
    const steps = [
      sh("denied"),
      sh("host evil.example"),
      sh("host bad.example"),
      bash("sh act.sh write; sh act.sh denied; false"),
      sh("other"),
      "Done.",
    ];
    await using conversation = await open(steps, { config: { permission } });
    await conversation.open();
    await conversation.choose("sandboxed");
    await conversation.prompt("Go.");
    expect(conversation.asks).toEqual([]);
    const outputs = conversation.outputs();
    for (const output of outputs.slice(0, 4)) {
      expect(output).toContain("A rule of this mode or of the person's config refuses");
      expect(output).toContain("It was not run again.");
    }
    expect(outputs[4]).toContain("A rule or an earlier answer allows");
    expect(await readFile(conversation.path("other/y"), "utf8")).toBe("y\n");
    await expect(readFile(conversation.path("denied/x"))).rejects.toThrow("ENOENT");
  });

  test("a subagent and plan mode ask on the session", async () => {
    const task = {
      tool: "task",
      input: { description: "Try", prompt: "Try.", subagent_type: "general" },
    };
    const steps = [
      task,
      sh("write"),
      sh("write"),
      "Tried.",
      sh("write"),
      "Done.",
      sh("make"),
      "Done.",
    ];
    await using conversation = await open(steps);
    await conversation.open();
    await conversation.choose("sandboxed");
    conversation.answer = () => "open";
    await conversation.prompt("Go.");
    expect(conversation.asks).toHaveLength(1);
    expect(conversation.asks[0]).toMatchObject({
      sessionId: conversation.sessionId,
      title: "General: sh act.sh write (stopped by the sandbox)",
    });
    expect(conversation.asks[0]?.text).toContain("Asked by the General subagent.");
    await conversation.setMode("plan");
    conversation.answer = () => "reject";
    await conversation.prompt("Plan.");
    expect(conversation.asks.slice(1).map(({ title }) => title)).toEqual(["sh act.sh make"]);
    await expect(readFile(conversation.path("project/made.txt"))).rejects.toThrow("ENOENT");
  });

  test('with `"sandbox": false` nothing is confined, and no notice is shown', async () => {
    await using conversation = await open([sh("make"), "Done."], { config: { sandbox: false } });
    const { levels } = await conversation.open();
    conversation.answer = () => "once";
    await conversation.prompt("Go.");
    expect(levels).toEqual(["ask", "accept-edits", "allow-all"]);
    expect(conversation.levels()).toEqual(levels);
    expect(conversation.executions()).toEqual([{ confinement: null, approval: { by: "person" } }]);
    expect(conversation.notices()).toEqual([]);
  });

  test("an untrusted project can neither turn it off nor widen it", async () => {
    const sandbox = { write: ["~/outside"], network: "on" };
    for (const setting of [false, sandbox]) {
      await using conversation = await open([sh("write"), "Done."]);
      await writeFile(
        conversation.path("project/landline.jsonc"),
        JSON.stringify({ sandbox: setting }),
      );
      await conversation.open();
      await conversation.choose("sandboxed");
      conversation.answer = () => "reject";
      await conversation.prompt("Go.");
      expect(conversation.asks).toHaveLength(1);
      expect(conversation.executions()[0]?.confinement).toEqual({
        sandbox: "bubblewrap",
        network: "off",
      });
    }
  });
});

describe("where there is no sandbox", () => {
  const environment = () => ({ PATH: bare });
  const why = "Commands run without a sandbox";

  test("a notice is shown once, commands ask as before, and `sandboxed` is not offered", async () => {
    await using conversation = await open([sh("make"), "Done."], { environment: environment() });
    const { levels } = await conversation.open();
    await conversation.noticeTold();
    expect(conversation.notices()).toMatchObject([
      { title: why, description: expect.stringContaining("bubblewrap is not installed.") },
    ]);
    conversation.answer = () => "once";
    await conversation.prompt("Go.");
    expect(conversation.asks.map(({ title }) => title)).toEqual(["sh act.sh make"]);
    expect(conversation.executions()).toEqual([{ confinement: null, approval: { by: "person" } }]);
    expect(levels).toEqual(["ask", "accept-edits", "allow-all"]);
    expect(conversation.levels()).toEqual(levels);
    const refused = await conversation.choose("sandboxed");
    expect(JSON.stringify(refused["error"])).toContain("bubblewrap is not installed.");
    await conversation.open();
    await conversation.kill();
    await using later = await open(["Done."], {
      environment: environment(),
      home: conversation.path(""),
    });
    await later.open();
    await later.prompt("Go.");
    expect([...conversation.notices(), ...later.notices()]).toHaveLength(1);
  });

  test("a sandbox that the configuration requires is reported missing in each session, and its level asks for commands", async () => {
    const config = { sandbox: true, permission_level: "sandboxed" };
    await using conversation = await open([sh("make"), "Done."], {
      config,
      environment: environment(),
    });
    await conversation.open();
    await conversation.noticeTold();
    expect(conversation.levels()).toEqual(["ask", "accept-edits", "allow-all"]);
    expect(conversation.level()).toBe("accept-edits");
    conversation.answer = () => "once";
    await conversation.prompt("Go.");
    expect(conversation.asks).toHaveLength(1);
    expect(conversation.asks[0]?.text).toContain(
      "there is no sandbox (bubblewrap is not installed.",
    );
    await conversation.open();
    await conversation.prompt("/status");
    await expect.poll(() => conversation.notices().map(({ title }) => title)).toEqual([why, why]);
    expect(conversation.said()).toContain(
      "Sandbox for commands: none. bubblewrap is not installed.",
    );
  });
});
