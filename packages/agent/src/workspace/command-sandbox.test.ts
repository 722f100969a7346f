import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { until } from "../../../system/test/live-processes.ts";
import { openScratch, type Scratch } from "../../test/workspace/scratch-project.ts";
import { CommandSandbox, SandboxFinder } from "./command-sandbox.ts";
import { openWorkspace, type OwnedWorkspace } from "./open-workspace.ts";

describe.skipIf(isSkipped)("a confined command", () => {
  let scratch: Scratch;
  let workspace: OwnedWorkspace;
  const confinement = {
    network: "off",
    isUnasked: true,
    write: [],
    read: [],
    opened: [],
  } as const;
  /** A number that no other `sleep` on the machine uses. */
  const seconds = `3${process.pid}`;
  const isSleeping = () =>
    execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })
      .split("\n")
      .includes(`sleep ${seconds}`);

  beforeEach(async () => {
    scratch = await openScratch();
    const finder = new SandboxFinder({
      home: join(scratch.project, "../home"),
      data: join(scratch.project, "../data"),
      hidden: [],
    });
    const nothing = { write: [], read: [], caches: [] };
    const sandbox = new CommandSandbox(finder, () => ({
      isWanted: false,
      network: "off",
      ...nothing,
    }));
    workspace = openWorkspace({
      client: null,
      sessionId: "session",
      cwd: scratch.project,
      directories: [],
      sandbox,
    });
  });
  afterEach(async () => {
    await workspace.close();
    await scratch[Symbol.asyncDispose]();
  });

  const start = (line: string, signal = new AbortController().signal) =>
    workspace.start({ line, cwd: scratch.project, confinement, signal });

  it("keeps its background processes until the workspace is closed", async () => {
    const { exitCode } = await (await start(`env -i setsid -f sleep ${seconds}`)).ended;
    expect(exitCode).toBe(0);
    await until(isSleeping);
    await workspace.close();
    await until(() => !isSleeping());
  });

  it("ends with all its processes when it is stopped", async () => {
    const controller = new AbortController();
    const command = await start(`env -i setsid -f sleep ${seconds}; sleep 600`, controller.signal);
    await until(isSleeping);
    controller.abort();
    expect(await command.ended).toMatchObject({ exitCode: null });
    await until(() => !isSleeping());
  });

  it("has the exit code of its line, and no secret in its environment", async () => {
    process.env["MY_SECRET_TOKEN"] = "secret";
    try {
      const ended = await (
        await start(
          'echo "<$MY_SECRET_TOKEN>"; cat /proc/[0-9]*/environ | grep -c MY_SECRET; exit 7',
        )
      ).ended;
      expect(ended).toMatchObject({ output: "<>\n0\n", exitCode: 7 });
    } finally {
      delete process.env["MY_SECRET_TOKEN"];
    }
  });
});
