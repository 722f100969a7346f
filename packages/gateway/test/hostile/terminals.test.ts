import * as fs from "node:fs/promises";
import * as path from "node:path";
import { expect, test } from "vitest";
import { text, turn } from "../sessions/scripted-gateway.ts";
import { inGateway, opened, running } from "../sessions/marked-gateway.ts";
import { refused } from "./refusal.ts";

/** Leaves a file, wherever it runs. */
const touch = "touch was-here";

const create = (params: object, reason: Parameters<typeof refused>[0]) => ({
  createTerminal: { command: touch, ...params, ...refused(reason) },
});

test.concurrent("no command runs outside the session's folders, nor with invalid arguments", async () => {
  const steps = [
    create({ cwd: "{{prompt}}" }, "permission-denied"),
    create({ cwd: "/" }, "permission-denied"),
    create({ cwd: "{{cwd}}/.." }, "permission-denied"),
    create({ cwd: "{{cwd}}/../outside" }, "permission-denied"),
    create({ cwd: "{{cwd}}/link" }, "permission-denied"),
    create({ cwd: "{{cwd}}/a.txt" }, "permission-denied"),
    create({ cwd: "/proc/self/cwd" }, "permission-denied"),
    create({ cwd: "{{cwd}}/missing" }, "file-not-found"),
    create({ cwd: "{{cwd}}/a\0b" }, "invalid-params"),
    create({ cwd: 7 }, "invalid-params"),
    create({ command: "" }, "invalid-params"),
    create({ command: "  \n" }, "invalid-params"),
    create({ command: "touch\0 was-here" }, "invalid-params"),
    create({ args: "was-here" }, "invalid-params"),
    create({ args: ["a", 7] }, "invalid-params"),
    create({ args: ["was-here\0"] }, "invalid-params"),
    create({ args: ["x".repeat(2_000)] }, "invalid-params"),
    create({ env: [{ name: "A=B", value: "c" }] }, "invalid-params"),
    create({ env: [{ name: "", value: "c" }] }, "invalid-params"),
    create({ env: [{ name: "A" }] }, "invalid-params"),
    create({ outputByteLimit: -1 }, "invalid-params"),
    create({ outputByteLimit: "much" }, "invalid-params"),
    ...["terminalOutput", "waitForExit", "killTerminal", "releaseTerminal"].map((step) => ({
      [step]: { terminalId: "nobody's", ...refused("terminal-not-found") },
    })),
  ];
  await inGateway(
    { agent: { turns: [{ steps }] } },
    async (gateway) => {
      const outside = path.join(gateway.folder, "outside");
      await fs.mkdir(outside);
      await fs.symlink(outside, path.join(gateway.project, "link"));
      await fs.writeFile(path.join(gateway.project, "a.txt"), "");
      const { session, watcher } = await opened(gateway);
      expect(await turn(session, watcher, outside)).toMatchObject({ stopReason: "end_turn" });
      expect(watcher.kinds).not.toContain("terminal-opened");
      expect(await fs.readdir(outside)).toEqual([]);
      expect((await fs.readdir(gateway.project)).sort()).toEqual(["a.txt", "link"]);
      expect(await running(gateway)).toHaveLength(1);
    },
    { limits: { terminalEnvironmentBytes: 1_000 } },
  );
});

test.concurrent("a terminal of one session is unknown in another", async () => {
  const steps = (other: string) => [
    { terminalOutput: { terminalId: other, ...refused("terminal-not-found") } },
    { releaseTerminal: { terminalId: other, ...refused("terminal-not-found") } },
  ];
  const owner = [{ createTerminal: { command: "sleep 20; true" } }, { waitForExit: {} }];
  const agents = {
    owner: { turns: [{ steps: owner }] },
    thief: { turns: [{ steps: steps("{{prompt}}") }] },
  };
  await inGateway(agents, async (gateway) => {
    const mine = await opened(gateway, "owner");
    await mine.session.prompt("p", text("go"), "tester");
    const { terminalId } = await mine.watcher.until("terminal-opened");
    const thief = await opened(gateway, "thief");
    expect(await turn(thief.session, thief.watcher, terminalId)).toMatchObject({
      stopReason: "end_turn",
    });
    expect(mine.watcher.kinds).not.toContain("terminal-exited");
  });
});

test.concurrent("terminals are limited, and contain no secrets of the gateway", async () => {
  const steps = [
    { createTerminal: { command: "env; sleep 20", save: "first" } },
    { createTerminal: { command: "sleep 20; true" } },
    create({}, "rate-limited"),
    { say: "refused" },
    { permission: { toolCall: { toolCallId: "t" } } },
  ];
  await inGateway(
    { agent: { turns: [{ steps }] } },
    async (gateway) => {
      const { session, watcher } = await opened(gateway);
      await session.prompt("p", text("go"), "tester");
      await watcher.until("ask-opened");
      expect(watcher.said).toBe("refused");
      const output = await watcher.until("terminal-output", ({ text: shown }) =>
        shown.includes("PATH="),
      );
      expect(output.text).not.toContain(gateway.token);
      expect(output.text.match(/^LANDLINE_\w+/gm)).toEqual(["LANDLINE_AGENT_MARK"]);
      await session.cancel("tester");
      await watcher.until("turn-ended");
      expect(await fs.readdir(gateway.project)).toEqual([]);
    },
    { limits: { terminalsOpen: 2 } },
  );
});
