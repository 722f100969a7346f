import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClient, WireError } from "../../test/workspace/fake-client.ts";
import { lives, pidsIn, until } from "../../../system/test/live-processes.ts";
import { openScratch, type Scratch } from "../../test/workspace/scratch-project.ts";
import { type OwnedWorkspace, openWorkspace } from "./open-workspace.ts";

let scratch: Scratch;
let client: FakeClient;
let workspace: OwnedWorkspace;

beforeEach(async () => {
  scratch = await openScratch();
  client = new FakeClient({ terminal: true });
  const { project: cwd } = scratch;
  workspace = openWorkspace({ client, sessionId: "session", cwd, directories: [] });
});
afterEach(async () => {
  await workspace.close();
  await scratch[Symbol.asyncDispose]();
});

const signal = new AbortController().signal;

describe("a command in a client's terminal", () => {
  it("is run by a shell, and returns output and exit code", async () => {
    const command = await workspace.start({
      line: "echo $WHAT | tr a-z A-Z; exit 4",
      cwd: ".",
      env: { WHAT: "hello" },
      signal,
    });
    expect(command.terminalId).toBeTypeOf("string");
    expect(await command.ended).toEqual({
      output: "HELLO\n",
      truncated: false,
      exitCode: 4,
      signal: null,
    });
    expect(client.created[0]).toMatchObject({
      sessionId: "session",
      command: "/bin/bash",
      args: ["-c", "echo $WHAT | tr a-z A-Z; exit 4"],
      cwd: scratch.project,
      env: expect.arrayContaining([{ name: "WHAT", value: "hello" }]) as unknown,
    });
    await command.release();
    await command.release();
    expect(client.released).toEqual([command.terminalId]);
  });

  it("shows its output while it runs, each part once", async () => {
    const heard: string[] = [];
    const go = join(scratch.project, "go");
    const command = await workspace.start({
      line: `echo one; while [ ! -e ${go} ]; do sleep 0.02; done; echo two`,
      cwd: ".",
      signal,
      onOutput: (text) => heard.push(text),
    });
    await until(() => heard.length > 0);
    expect(heard).toEqual(["one\n"]);
    await scratch.write({ go: "" });
    await command.ended;
    expect(heard.join("")).toBe("one\ntwo\n");
  });

  it("is killed when its signal is aborted", async () => {
    const controller = new AbortController();
    let output = "";
    const command = await workspace.start({
      line: "echo $$; sleep 600",
      cwd: ".",
      signal: controller.signal,
      onOutput: (text) => {
        output += text;
      },
    });
    await until(() => output !== "");
    controller.abort();
    expect(await command.ended).toMatchObject({ exitCode: null, signal: "SIGKILL" });
    for (const pid of pidsIn(output)) expect(lives(pid)).toBe(false);
  });

  it("is killed and released when the workspace is closed, which starts no more", async () => {
    const command = await workspace.start({ line: "sleep 600", cwd: ".", signal });
    await workspace.close();
    expect(client.released).toEqual([command.terminalId]);
    expect((await command.ended).signal).toBe("SIGKILL");
    await expect(workspace.start({ line: "true", cwd: ".", signal })).rejects.toThrow(/closed/);
  });

  it("does not wait forever for a client that does not report the exit", async () => {
    client.onWait = () => new Promise(() => undefined);
    client.onKill = () => Promise.reject(new WireError(-32_603, "no"));
    client.onCreate = () => Promise.resolve("ghost");
    const command = await workspace.start({ line: "sleep 600", cwd: ".", signal });
    await command.kill();
    expect(await command.ended).toMatchObject({ output: "", signal: "SIGKILL" });
  });

  it("detects the exit in the output too", async () => {
    client.onWait = () => new Promise(() => undefined);
    const command = await workspace.start({
      line: "echo done; exit 2",
      cwd: ".",
      signal,
      onOutput: () => undefined,
    });
    expect(await command.ended).toMatchObject({ output: "done\n", exitCode: 2 });
  });
});

describe("a client that fails", () => {
  it("to open a terminal: it is reported, and nothing runs locally instead", async () => {
    client.onCreate = () => Promise.reject(new WireError(-32_603, "Internal error", "ENOENT sh"));
    const line = `touch ${join(scratch.project, "ran")}`;
    await expect(workspace.start({ line, cwd: ".", signal })).rejects.toMatchObject({
      name: "CommandProblem",
      message: expect.stringMatching(/did not run.*ENOENT sh/) as string,
    });
    expect(await workspace.stat("ran")).toBeNull();
  });

  it("to open it in time: it is not awaited, and released if it opens late", async () => {
    const opened = Promise.withResolvers<string>();
    client.onCreate = () => opened.promise;
    client.onKill = () => Promise.resolve();
    const controller = new AbortController();
    const starting = workspace.start({ line: "true", cwd: ".", signal: controller.signal });
    controller.abort(new Error("stopped"));
    await expect(starting).rejects.toThrow("stopped");
    opened.resolve("late");
    await until(() => client.released.includes("late"));
  });

  it("while a command runs: the error says that the command's state is unknown", async () => {
    client.onWait = () => Promise.reject(new Error("connection closed"));
    const command = await workspace.start({ line: "true", cwd: ".", signal });
    await expect(command.ended).rejects.toThrow(/lost.*connection closed.*may have run/);
  });
});
