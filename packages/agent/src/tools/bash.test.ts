import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openToolContext, type ToolContextFixture } from "../../test/tools/tool-context-fixture.ts";
import { FakeClient } from "../../test/workspace/fake-client.ts";
import { lives, pidsIn, until } from "../../../system/test/live-processes.ts";
import { harmlessEnvironment } from "@landline/shell";
import { bashLimits, commandLimits, toolLimits } from "../limits.ts";
import { patternOf, PermissionRefused } from "../permission/rule.ts";
import type { CommandOptions } from "../workspace/workspace.ts";
import { createBashTool } from "./bash.ts";
import type { ToolFailure } from "./tool.ts";

let rig: ToolContextFixture;
beforeEach(async () => {
  rig = await openToolContext();
});
afterEach(() => rig[Symbol.asyncDispose]());

const outputs = () => join(rig.scratch.outside, "outputs");
const run = (command: string, more: { timeout?: number; workdir?: string } = {}, given = rig) =>
  createBashTool(outputs()).run({ command, ...more }, given.context);
const failureOf = (result: Promise<unknown>) =>
  result.then(
    () => Promise.reject(new Error("It did not fail.")),
    (error: unknown) => error as ToolFailure,
  );
const shownText = () =>
  rig.shown.flatMap(({ content = [] }) =>
    content.flatMap((each) =>
      each.type === "content" && each.content.type === "text" ? [each.content.text] : [],
    ),
  );

describe("the result", () => {
  it("is the output and the exit status", async () => {
    expect(await run("echo hi; echo there >&2")).toMatchObject({
      output: "hi\nthere",
      metadata: { exit: 0, truncated: false },
    });
    const failed = await run("echo bad; exit 3");
    expect(failed.output).toBe("bad\n\n(Exit code 3.)");
    expect(failed.metadata).toMatchObject({ exit: 3 });
    expect((await run("kill -KILL $$")).output).toBe("(It was ended by SIGKILL.)");
    expect((await run("true")).output).toMatch(/wrote nothing/);
  });

  it("has no colours", async () => {
    expect((await run(String.raw`printf '\033[31mred\033[0m'`)).output).toBe("red");
  });

  it("comes from the given folder", async () => {
    await mkdir(join(rig.scratch.project, "sub"));
    expect((await run("pwd", { workdir: "sub" })).output).toBe(join(rig.scratch.project, "sub"));
    const failure = await failureOf(run("pwd", { workdir: "nowhere" }));
    expect(failure.message).toMatch(/can't run in .*nowhere/);
    expect(failure.reason).toBe("failed");
  });

  it("is truncated in the middle if it is long, and stored completely", async () => {
    const result = await run("echo first; seq 1 100000; echo last; exit 2");
    const { output } = result;
    expect(output.startsWith("first\n1\n2\n")).toBe(true);
    expect(output.endsWith("99999\n100000\nlast\n\n(Exit code 2.)")).toBe(true);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(toolLimits.outputBytes);
    expect(output.split("\n").length).toBeLessThanOrEqual(toolLimits.outputLines);
    const path = /All of it is in (\S+):/.exec(output)?.[1] ?? "";
    const whole = await readFile(path, "utf8");
    expect(whole.split("\n")).toHaveLength(100_002);
    expect(result.metadata).toMatchObject({ truncated: true });
  });

  it("is truncated within a long line, between characters", async () => {
    const { output } = await run(`printf '€%.0s' $(seq 1 100000)`);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(toolLimits.outputBytes);
    expect(output).not.toContain("\uFFFD");
    expect(output.startsWith("€€")).toBe(true);
  });

  it("reports that the beginning of a flood is lost", async () => {
    const { output, metadata } = await run(
      `yes | head -c ${commandLimits.outputBytes * 2}; echo end`,
    );
    expect(output).toMatch(/the beginning is lost/);
    expect(output).toContain("\nend\n");
    expect(metadata).toMatchObject({ truncated: true });
  });
});

describe("the view", () => {
  it("is the command and its description", () => {
    const tool = createBashTool(outputs());
    const view = tool.view({ command: "ls\nls", description: "Lists" }, rig.context.workspace);
    expect(view).toMatchObject({
      title: "ls\nls",
      content: [{ type: "content", content: { type: "text", text: "Lists" } }],
    });
    expect(tool.view({}, rig.context.workspace).title).toBe("Run a command");
  });

  it("is the end of the output while it runs, with bounded updates", async () => {
    const waitFor = (name: string) => `until [ -e ${name} ]; do sleep 0.01; done`;
    const running = run(
      `echo line 1; ${waitFor("shown")}; for i in 2 3 4 5; do echo line $i; sleep 0.15; done; ` +
        `seq 1 9999; ${waitFor("all-shown")}`,
    );
    await until(() => shownText().length > 0);
    await writeFile(join(rig.scratch.project, "shown"), "");
    await until(() => shownText().some((text) => text.endsWith("9999\n")));
    await writeFile(join(rig.scratch.project, "all-shown"), "");
    await running;
    const texts = shownText();
    expect(texts[0]).toBe("line 1\n");
    expect(texts.every((text) => text.length <= bashLimits.shownCharacters)).toBe(true);
    expect(texts.length).toBeLessThan(30);
  });

  it("is the client's terminal if it runs in one", async () => {
    const client = new FakeClient({ terminal: true });
    await using own = await openToolContext(client);
    const result = await run("echo hi; exit 4", {}, own);
    const [terminal] = own.shown[0]?.content ?? [];
    expect(terminal).toMatchObject({ type: "terminal", terminalId: result.terminalId });
    expect(own.shown).toHaveLength(1);
    expect(result.output).toBe("hi\n\n(Exit code 4.)");
    expect(client.released).toEqual([result.terminalId]);
  });
});

describe("the end", () => {
  /** Runs a command that writes `started`, and lets its timeout pass after that. */
  async function timedOut(command: string, given = rig): Promise<ToolFailure> {
    using timers = vi.spyOn(globalThis, "setTimeout");
    const timeout = 600_000;
    const line = `${command}; echo started; : > running; sleep 600`;
    const failing = failureOf(run(line, { timeout }, given));
    await until(() => existsSync(join(given.scratch.project, "running")));
    const timer = timers.mock.calls.find(([, delay]) => delay === timeout);
    timer?.[0]();
    return failing;
  }

  it("comes at the timeout, and the output is kept", async () => {
    const failure = await timedOut("echo $$");
    expect(failure.reason).toBe("tool-timeout");
    expect(failure.message).toMatch(/^\d+\nstarted\n\n\(It was ended after 600000 ms\./);
    expect(failure.metadata).toMatchObject({ signal: "SIGTERM" });
    for (const pid of pidsIn(failure.message)) expect(lives(pid)).toBe(false);
  });

  it("comes at the timeout in a client's terminal too", async () => {
    const client = new FakeClient({ terminal: true });
    await using own = await openToolContext(client);
    const failure = await timedOut(":", own);
    expect(failure.reason).toBe("tool-timeout");
    expect(failure.message).toContain("started");
    expect(client.released).toHaveLength(1);
  });

  it("comes with the end of the turn", async () => {
    const running = failureOf(run("echo $$; sleep 600"));
    await until(() => shownText().length > 0);
    rig.controller.abort(new Error("stopped"));
    expect((await running).message).toBe("stopped");
    for (const pid of pidsIn(shownText().join(""))) expect(lives(pid)).toBe(false);
  });

  it("is not delayed by background processes", async () => {
    const { output } = await run("sleep 600 & echo $!");
    const [pid = 0] = pidsIn(output);
    expect(lives(pid)).toBe(true);
    await rig[Symbol.asyncDispose]();
    expect(lives(pid)).toBe(false);
  });
});

describe("the permission request", () => {
  it("names each command, before anything runs", async () => {
    rig.decide = () => Promise.reject(new PermissionRefused("person", "no"));
    await expect(run("touch made && git status | cat")).rejects.toThrow("no");
    expect(rig.asked).toMatchObject([
      {
        permission: "bash",
        patterns: [{ pattern: "touch made" }, { pattern: "git status" }, { pattern: "cat" }],
        always: ["touch *"],
        because: ["touch changes files"],
      },
    ]);
    await nextRound();
    expect(await rig.context.workspace.stat("made")).toBeNull();
  });

  it("first asks for access outside the project", async () => {
    const { outside } = rig.scratch;
    await writeFile(join(outside, "secret"), "s");
    await run(`cat ${outside}/secret ../outside/secret > /dev/null`);
    expect(
      rig.asked.map(({ permission, patterns }) => [permission, patterns.map(patternOf)]),
    ).toEqual([
      ["external_directory", [`${outside}/*`]],
      ["bash", [`cat ${outside}/secret ../outside/secret`]],
    ]);
    expect(rig.asked[0]?.because).toEqual([`${outside}/secret is outside the project`]);
  });

  it.each([
    ["cat ../outside/secret", ["read"]],
    ["cd ../outside && ls", ["read"]],
    ["touch ../outside/b", ["change"]],
    ["rm ../outside/secret", ["change"]],
    ["echo a > ../outside/b", ["change"]],
    ["sed -i s/a/b/ ../outside/secret", ["change"]],
    ["cp ../outside/secret ../outside/b", ["read", "change"]],
  ])("distinguishes reading outside from changing: %s", async (line, accesses) => {
    await writeFile(join(rig.scratch.outside, "secret"), "s");
    rig.decide = () => Promise.reject(new PermissionRefused("person", "no"));
    await expect(run(line)).rejects.toThrow("no");
    const targets = rig.asked.filter((request) => request.permission === "external_directory");
    expect(targets.map(({ alwaysAs }) => alwaysAs?.access)).toEqual(accesses);
    expect(targets.map(({ patterns }) => patterns)).toEqual(
      accesses.map((access) => [{ pattern: `${rig.scratch.outside}/*`, access }]),
    );
  });

  it.each([
    ["the folder of cd", "cd .. && ls"],
    ["a relative path from there", "cd sub; cat ../../outside/secret"],
    ["a file that it writes", "echo a > ../outside/b"],
    ["a program beside the project", "../outside/program"],
    ["the value of an option", "git -C ../outside status"],
    ["a link to the outside", "cat link/secret"],
    ["a pattern of names", "ls ../outside/s*"],
  ])("includes %s", async (_, line) => {
    const { outside, project } = rig.scratch;
    await writeFile(join(outside, "secret"), "s");
    await writeFile(join(outside, "program"), "#!/bin/sh\n", { mode: 0o755 });
    await mkdir(join(project, "sub"));
    await symlink(outside, join(project, "link"));
    await run(line);
    expect(rig.asked[0]?.permission).toBe("external_directory");
  });

  it("names no folder if everything is inside", async () => {
    await mkdir(join(rig.scratch.project, "sub"));
    await run(`cd sub && ls . ${rig.scratch.project} 2> /dev/null; sed '/x/d' < /dev/null`);
    expect(rig.asked.map(({ permission }) => permission)).toEqual(["bash"]);
  });

  it("names the working folder if it is outside", async () => {
    await run("ls", { workdir: rig.scratch.outside });
    expect(rig.asked[0]).toMatchObject({
      permission: "external_directory",
      patterns: [{ pattern: `${rig.scratch.outside}/*`, access: "read" }],
    });
  });
});

describe("a reading command", () => {
  it.each([
    ["git status", true],
    ["ls && cat a", true],
    ["cat .env", false],
    ["touch b", false],
    ["cat ../outside/secret", false],
  ])("runs without code of the repository: %s", async (line, isFree) => {
    await rig.scratch.write({ a: "", ".env": "", "../outside/secret": "" });
    const started: CommandOptions[] = [];
    const workspace = {
      ...rig.context.workspace,
      start: (options: CommandOptions) => {
        started.push(options);
        return rig.context.workspace.start(options);
      },
    };
    Object.setPrototypeOf(workspace, rig.context.workspace);
    await createBashTool("/outputs").run({ command: line }, { ...rig.context, workspace });
    expect(started[0]?.env).toEqual(isFree ? harmlessEnvironment : {});
  });
});

describe("the input", () => {
  const { input } = createBashTool("/outputs");
  it("has a command and a bounded timeout", () => {
    expect(input.safeParse({ command: "ls" }).success).toBe(true);
    expect(input.safeParse({ command: "  " }).success).toBe(false);
    expect(input.safeParse({ command: "ls", timeout: 0 }).success).toBe(false);
    expect(input.safeParse({ command: "ls", timeout: 1e9 }).success).toBe(false);
  });
});
