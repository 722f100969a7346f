import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lives, pidsIn, until } from "../../../system/test/live-processes.ts";
import { openScratch, type Scratch } from "../../test/workspace/scratch-project.ts";
import { commandLimits } from "../limits.ts";
import { CommandOwner } from "./command-owner.ts";
import { shellCall } from "./shell.ts";
import type { CommandOptions } from "./workspace.ts";

let scratch: Scratch;
let commands: CommandOwner;
/** Process ids that tests have seen: none may be left running. */
let seen: number[];

beforeEach(async () => {
  scratch = await openScratch();
  commands = new CommandOwner();
  seen = [];
});

afterEach(async () => {
  await commands.close();
  await scratch[Symbol.asyncDispose]();
  for (const pid of seen) expect(lives(pid)).toBe(false);
});

function start(line: string, options: Partial<CommandOptions> = {}) {
  const signal = new AbortController().signal;
  const call = shellCall(line, process.env);
  return commands.start({
    line,
    call,
    ranConfined: null,
    cwd: scratch.project,
    signal,
    ...options,
  });
}

async function run(line: string, options: Partial<CommandOptions> = {}) {
  return (await start(line, options)).ended;
}

/** Starts a line that writes pids and then `ready`. */
async function startAndSee(line: string, count: number, signal = new AbortController().signal) {
  let output = "";
  const command = await start(line, {
    signal,
    onOutput: (text) => {
      output += text;
    },
  });
  await until(() => output.includes("ready") && pidsIn(output).length === count);
  const pids = pidsIn(output);
  seen.push(...pids);
  return { command, pids };
}

describe("a command on this machine", () => {
  it("returns both outputs in the order of writing, and the exit status", async () => {
    expect(await run("echo one; echo two >&2; echo three; exit 3")).toEqual({
      output: "one\ntwo\nthree\n",
      truncated: false,
      exitCode: 3,
      signal: null,
    });
    expect(await run("kill -KILL $$")).toMatchObject({ exitCode: null, signal: "SIGKILL" });
  });

  it("runs in its folder, with bash's syntax where there is bash", async () => {
    const { output } = await run("pwd; [[ a == a ]] && echo yes");
    expect(output).toBe(`${scratch.project}\nyes\n`);
  });

  it("has an empty stdin and no terminal", async () => {
    expect(await run("cat; tty; (echo asked > /dev/tty) 2>&1 || echo no terminal")).toMatchObject({
      output: expect.stringMatching(/not a tty[^]*no terminal/) as string,
    });
  });

  it("gets the user's environment and the added variables, and no variable of Landline", async () => {
    process.env["LANDLINE_AGENT_DATA"] = "/somewhere";
    process.env["SOME_API_KEY"] = "the user's";
    try {
      const { output } = await run("env", { env: { ADDED: "yes" } });
      expect(output).toContain("SOME_API_KEY=the user's\n");
      expect(output).toContain("ADDED=yes\n");
      expect(output).not.toContain("LANDLINE_AGENT_DATA");
    } finally {
      delete process.env["LANDLINE_AGENT_DATA"];
      delete process.env["SOME_API_KEY"];
    }
  });

  it("shows its output while it runs, without splitting characters", async () => {
    const heard: string[] = [];
    const line = String.raw`printf '\342'; sleep 0.2; printf '\202'; sleep 0.2; printf '\254 end'`;
    const { output } = await run(line, { onOutput: (text) => heard.push(text) });
    expect(output).toBe("€ end");
    expect(heard.join("")).toBe("€ end");
  });

  it("keeps the end of a flood, truncated between characters", async () => {
    const bytes = commandLimits.outputBytes + 100_000;
    const { output, truncated } = await run(`yes '€€€' | head -c ${bytes}; echo; echo end`);
    expect(truncated).toBe(true);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(commandLimits.outputBytes);
    expect(Buffer.byteLength(output)).toBeGreaterThan(commandLimits.outputBytes - 4);
    expect(output).not.toMatch(/^\uFFFD/);
    expect(output.endsWith("\nend\n")).toBe(true);
  });

  it("cannot start in a missing folder, or with invalid arguments", async () => {
    await expect(run("true", { cwd: join(scratch.project, "none") })).rejects.toThrow(
      /can't run in .*none/,
    );
    await expect(run("echo \0")).rejects.toMatchObject({ name: "CommandProblem" });
    await expect(run(`echo ${"x".repeat(3_000_000)}`)).rejects.toThrow(/script file/);
    await expect(run("true", { signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow(
      "before",
    );
  });
});

describe("the end of a command", () => {
  it("by its signal includes children, other sessions and processes that ignore SIGTERM", async () => {
    const controller = new AbortController();
    const { command, pids } = await startAndSee(
      `sleep 600 & echo $!
       setsid sh -c 'echo $$; exec sleep 600' &
       setsid env -u LANDLINE_AGENT_MARK sh -c 'echo $$; exec sleep 600' &
       sh -c 'trap "" TERM; echo $$; echo ready; while :; do sleep 1; done'`,
      4,
      controller.signal,
    );
    controller.abort();
    const ended = await command.ended;
    expect(ended.signal ?? ended.exitCode).not.toBe(0);
    for (const pid of pids) expect(lives(pid)).toBe(false);
  });

  it("gives a program time to clean up", async () => {
    const { command } = await startAndSee(
      `trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done`,
      0,
    );
    await command.kill();
    expect(await command.ended).toMatchObject({
      exitCode: 7,
      output: expect.stringContaining("bye") as string,
    });
  });

  it("is not delayed by background processes, which run until the owner ends", async () => {
    const { command, pids } = await startAndSee(
      `sh -c 'echo $$; echo ready; while :; do echo tick; sleep 0.05; done' & sleep 0.3`,
      1,
    );
    const { output, exitCode } = await command.ended;
    expect(exitCode).toBe(0);
    expect(output).toContain("tick");
    expect(lives(pids[0]!)).toBe(true);
    await commands.close();
    expect(lives(pids[0]!)).toBe(false);
  });

  it("of the owner includes processes that left their group and outlived their command", async () => {
    const { command, pids } = await startAndSee(
      `setsid sh -c 'echo $$; echo ready; exec sleep 600 > /dev/null 2>&1' & sleep 0.3`,
      1,
    );
    await command.ended;
    expect(lives(pids[0]!)).toBe(true);
    await commands.close();
    expect(lives(pids[0]!)).toBe(false);
  });

  it("of a command with background processes can still be completed by killing it", async () => {
    const { command, pids } = await startAndSee(
      `setsid sh -c 'echo $$; echo ready; exec sleep 600 > /dev/null' & sleep 0.3`,
      1,
    );
    await command.ended;
    expect(lives(pids[0]!)).toBe(true);
    await command.kill();
    expect(lives(pids[0]!)).toBe(false);
  });

  it("comes with the owner's end, after which no command starts", async () => {
    const { command, pids } = await startAndSee("echo $$; echo ready; sleep 600", 1);
    await commands.close();
    expect(lives(pids[0]!)).toBe(false);
    expect((await command.ended).signal).toBe("SIGTERM");
    await expect(run("true")).rejects.toThrow(/closed/);
  });

  it("comes with the end of this process, in any way", async () => {
    const module = join(import.meta.dirname, "command-owner.ts");
    const script = `
      const { CommandOwner } = await import(${JSON.stringify(module)});
      const line = "echo $$; setsid sh -c 'echo $$; echo ready; exec sleep 600 >/dev/null' & sleep 600";
      const signal = new AbortController().signal;
      let output = "";
      const call = { file: "/bin/bash", args: ["-c", line] };
      await new CommandOwner().start({ line, call, cwd: "/", signal, onOutput: (text) => {
        output += text;
        process.stdout.write(text);
        if (output.includes("ready")) process.exit(5);
      }});`;
    const child = spawn(
      process.execPath,
      ["--conditions=@landline/source", "--input-type=module", "--eval", script],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    const [code] = (await once(child, "close")) as [number];
    const pids = pidsIn(output);
    expect(pids).toHaveLength(2);
    expect(code).toBe(5);
    for (const pid of pids) await until(() => !lives(pid));
  });
});

it("releases the resources of a confined command when no process of it is left", async () => {
  const closed: string[] = [];
  const confinedCall = (name: string, line: string) => ({
    ...shellCall(line, process.env),
    deniedHosts: () => ["denied.example"],
    close: () => Promise.resolve(void closed.push(name)),
  });
  const confined = async (name: string, line: string) => {
    const command = await commands.start({
      line,
      call: confinedCall(name, line),
      ranConfined: { sandbox: "bubblewrap", network: [] },
      cwd: scratch.project,
      signal: new AbortController().signal,
    });
    await command.ended;
    expect(command.deniedHosts()).toEqual(["denied.example"]);
  };
  await confined("plain", "true");
  await expect.poll(() => closed).toEqual(["plain"]);
  await confined("background", "(until test -e go; do sleep 0.02; done) & true");
  await confined("silent", "(until test -e never; do sleep 0.02; done) > /dev/null 2>&1 & true");
  expect(closed).toEqual(["plain"]);
  await writeFile(join(scratch.project, "go"), "");
  await expect.poll(() => closed).toEqual(["plain", "background"]);
  await commands.close();
  expect(closed).toEqual(["plain", "background", "silent"]);
  await expect(confined("late", "true")).rejects.toThrow("The session is closed");
  expect(closed.at(-1)).toBe("late");
});
