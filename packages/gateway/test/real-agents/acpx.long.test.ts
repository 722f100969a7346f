import * as fs from "node:fs/promises";
import * as path from "node:path";
import { comparedAgent } from "@landline/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ScriptedGateway, Watcher } from "../sessions/scripted-gateway.ts";
import { acpx } from "./acpx.ts";
import { AcpxClient } from "./acpx-client.ts";
import { isInstalled } from "./real-agent.ts";

const start = path.join(import.meta.dirname, "../../../cli/src/start.ts");

// `npm run test:long` installs it, if the registry can be reached.
describe.skipIf(!isInstalled(acpx))(`acpx ${acpx.version} through landline acp`, () => {
  let gateway: ScriptedGateway;
  let client: AcpxClient;
  beforeEach(async () => {
    gateway = await ScriptedGateway.open({ agent: comparedAgent });
    const { url, token } = gateway;
    const home = path.join(gateway.folder, "home");
    await fs.mkdir(home);
    client = new AcpxClient({
      agent: [
        process.execPath,
        "--conditions=@landline/source",
        start,
        "acp",
        "--agent",
        "agent",
        "--gateway",
        `${url}/#token=${token}`,
      ],
      home,
      project: gateway.project,
    });
  });
  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    await gateway[Symbol.asyncDispose]();
  });

  /** The only session of the gateway. */
  async function session() {
    const { sessions } = await gateway.sessions.list({});
    expect(sessions).toHaveLength(1);
    return gateway.sessions.get(sessions[0]?.sessionId ?? "");
  }

  test("a prompt with tools and a plan", async () => {
    const { code, output } = await client.run("exec", "tools");
    expect(code).toBe(0);
    expect(output).toContain("[thinking] Two tools.");
    expect(output).toContain("- [completed] Edit");
    expect(output).toContain("[tool] Edit the notes (completed)");
    expect(output).toMatch(/Edited\.\s+\[done\] end_turn/);
  });

  test.each([
    ["--approve-all", "completed", 0],
    // acpx ends with this code if every permission was denied.
    ["--deny-all", "failed", 5],
  ] as const)("a prompt with a permission request: %s", async (flag, status, exit) => {
    const { code, output } = await client.run(flag, "exec", "write");
    expect(output).toContain(`[tool] Write notes.md (${status})`);
    expect(output).toMatch(/Done\.\s+\[done\] end_turn/);
    expect(code).toBe(exit);
  });

  test("files and a command in acpx", async () => {
    await fs.writeFile(path.join(gateway.project, "notes.md"), "milk\nbread\n");
    const files = await client.run("--approve-all", "--format", "json", "exec", "files");
    expect(files.code).toBe(0);
    expect(files.output).toContain('"method":"fs/read_text_file"');
    expect(files.output).toContain('"method":"fs/write_text_file"');
    expect(await fs.readFile(path.join(gateway.project, "copy.md"), "utf8")).toBe("milk\nbread\n");
    const ran = await client.run("--approve-all", "--format", "json", "exec", "run");
    expect(ran.code).toBe(0);
    expect(ran.output).toContain('"method":"terminal/create"');
  });

  test("a session over several processes: prompts, a mode, an option and the list", async () => {
    expect(await client.run("sessions", "new")).toMatchObject({ code: 0 });
    const { id } = await session();
    expect((await client.run("prompt", "hello")).output).toContain("Hello yourself.");
    await client.untilQuiet();
    expect(await client.run("set-mode", "code")).toMatchObject({ code: 0 });
    expect(await client.run("set", "effort", "high")).toMatchObject({ code: 0 });
    await client.untilQuiet();
    const { code, output } = await client.run("prompt", "effort");
    expect(code).toBe(0);
    expect(output).toContain("high, false");
    expect((await client.run("sessions", "list")).output).toContain(id);
    const { turn, modes, items } = await (await session()).view();
    expect(turn.turnId).toBeNull();
    expect(modes?.currentModeId).toBe("code");
    expect(items.filter(({ type }) => type === "prompt")).toHaveLength(2);
    expect(await client.run("sessions", "close")).toMatchObject({ code: 0 });
  });

  test("a cancelled prompt", async () => {
    expect(await client.run("sessions", "new")).toMatchObject({ code: 0 });
    using watcher = new Watcher(await session());
    const prompted = client.run("prompt", "wait");
    await watcher.until("update", ({ update }) => JSON.stringify(update).includes("Waiting."));
    expect(await client.run("cancel")).toMatchObject({ code: 0 });
    const { code, output } = await prompted;
    expect(code).toBe(0);
    expect(output).toMatch(/Stopped\.\s+\[done\] cancelled/);
    expect(await watcher.until("turn-ended")).toMatchObject({ stopReason: "cancelled" });
  });
});
