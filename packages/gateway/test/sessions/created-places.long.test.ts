import * as fs from "node:fs/promises";
import * as path from "node:path";
import {
  executionText,
  LandlineError,
  sandboxRequest,
  type PermissionOpened,
} from "@landline/protocol";
import { describe, expect, test, vi } from "vitest";
import { AgentPlaces } from "../../src/agents/agent-places.ts";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { ask as call } from "../spec/http.ts";
import { run, runner, stopped, textOf } from "./command-runner.ts";
import { turn, type ScriptedGateway } from "./scripted-gateway.ts";
import { inGateway, itemsOf, opened } from "./marked-gateway.ts";

const names = (gateway: ScriptedGateway) => fs.readdir(gateway.project);
const asideOf = (all: readonly string[], name: string) =>
  all.find((one) => one.startsWith(`${name}.landline-set-aside-`)) ?? "";
const offered = ({ options }: PermissionOpened) =>
  options.map(({ optionId, name }) => [optionId, name]);

const hook = "mkdir .husky; echo ran > .husky/pre-commit; echo done";

describe.skipIf(isSkipped)("protected places that a command in a terminal created", () => {
  const inside = (body: (gateway: ScriptedGateway) => Promise<void>) =>
    inGateway({ agent: runner }, body);

  test("have another name until a person allows them", async () => {
    await inside(async (gateway) => {
      const open = await opened(gateway);
      const { ask, answer } = await stopped(open, hook);
      const aside = asideOf(await names(gateway), ".husky");
      expect(await names(gateway)).toEqual([aside]);
      expect(textOf(ask).split("\n").slice(0, 3)).toEqual([
        "The command made .husky.",
        "Note that .husky is protected (git hooks).",
        `.husky was renamed to "${aside}".`,
      ]);
      expect(offered(ask)).toEqual([
        ["keep", "Allow"],
        ["reject", "Reject"],
      ]);
      expect(ask.toolCall).toMatchObject({
        toolCallId: "t1",
        rawInput: { command: hook },
        _meta: { [sandboxRequest]: { created: [path.join(gateway.project, ".husky")] } },
      });
      expect(await open.watcher.until("ask-explained")).toMatchObject({
        reasons: [".husky is protected (git hooks)"],
      });
      expect(open.watcher.kinds).not.toContain("terminal-exited");
      expect(await answer("keep")).toBe("0 null|done\n");
      expect(await fs.readFile(path.join(gateway.project, ".husky/pre-commit"), "utf8")).toBe(
        "ran\n",
      );
      const [item] = await itemsOf(open.session, "tool-call");
      expect(executionText(item!, { person: (id) => id })).toBe(
        "Run by Landline · sandboxed (no network) · allowed once by tester",
      );
      // An allowed place is not asked about again.
      expect(await run(open, "echo more >> .husky/pre-commit || echo refused")).toContain(
        "refused",
      );
    });
  });

  test("are deleted when a person rejects them, which the agent can read", async () => {
    await inside(async (gateway) => {
      const { ask, answer } = await stopped(await opened(gateway), `${hook}; exit 3`);
      expect(ask.toolCall.toolCallId).toBe("t1");
      expect(await answer("reject")).toBe(
        "3 null|done\n[Landline: Removed .husky: the person rejected what the command created.]\n",
      );
      expect(await names(gateway)).toEqual([]);
    });
  });

  test("are not allowed by a rule for the command", async () => {
    await inside(async (gateway) => {
      const rule = {
        where: { in: "everywhere" },
        what: { toolKind: "execute" },
        decision: "allow",
      };
      expect(await call(gateway, "POST", "/rules", rule)).toMatchObject({ status: 201 });
      const open = await opened(gateway);
      const { ask, answer } = await stopped(open, hook);
      expect(await open.session.suggestRules(ask.askId)).toMatchObject({
        rules: [],
        reason: expect.stringContaining("keep a protected place"),
      });
      await answer("reject");
      expect(await names(gateway)).toEqual([]);
    });
  });
});

/** Creates a protected place in a process that outlives the command, and ends the turn without waiting. */
const background = {
  turns: [
    {
      steps: [
        {
          createTerminal: {
            command: "(while [ ! -e go ]; do :; done; mkdir .vscode; touch made) & echo on",
          },
        },
        { waitForExit: {} },
        { writeFile: { path: "{{cwd}}/go", content: "" } },
        { createTerminal: { command: "while [ ! -e made ]; do :; done", save: "second" } },
        { waitForExit: { terminalId: "{{second}}" } },
      ],
    },
  ],
};

describe.skipIf(isSkipped)("a request about created places", () => {
  test("is opened when the terminal is released, stays open after the turn, and can be answered", async () => {
    await inGateway({ agent: background }, async (gateway) => {
      const { session, watcher } = await opened(gateway);
      await turn(session, watcher, "go");
      const ask = (await watcher.until("ask-opened")) as PermissionOpened;
      expect(asideOf(await names(gateway), ".vscode")).not.toBe("");
      await session.answer(ask.askId, { outcome: "selected", optionId: "keep" }, "tester");
      await expect.poll(() => names(gateway)).toContain(".vscode");
    });
  });

  test("that nobody answers leaves the other name, which is logged", async () => {
    await inGateway({ agent: runner }, async (gateway) => {
      const { session, watcher } = await opened(gateway);
      const { ask } = await stopped({ session, watcher }, hook);
      await session.cancel("tester");
      await watcher.until("turn-ended");
      expect(watcher.kinds).not.toContain("ask-settled");
      await session.close("tester");
      expect(await watcher.until("ask-settled")).toMatchObject({
        askId: ask.askId,
        by: { gateway: "agent-gone" },
      });
      const aside = asideOf(await names(gateway), ".husky");
      expect(await names(gateway)).toEqual([aside]);
      expect(textOf(ask)).toContain(aside);
    });
  });
});

/** Runs each prompt as a shell line in its own process. */
const shellAgent = `
import { spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  "session/new": () => ({ sessionId: "1" }),
  "session/prompt": ({ prompt }) => {
    spawnSync("/bin/sh", ["-c", prompt[0].text.replace(/^exit /, "")]);
    if (prompt[0].text.startsWith("exit ")) process.exit(7);
    return { stopReason: "end_turn" };
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method]?.(params) ?? {};
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
}`;

/** A gateway with one agent that the config confines. */
async function inConfined(body: (gateway: ScriptedGateway) => Promise<void>): Promise<void> {
  await inGateway({}, async (gateway) => {
    const file = path.join(gateway.folder, "agent/shell-agent.mjs");
    await fs.mkdir(path.dirname(file));
    await fs.writeFile(file, shellAgent);
    const sandbox = { write: [], read: [], caches: [], network: "off" } as const;
    await gateway.stop();
    await gateway.start({
      agents: [{ id: "shell", name: "Shell", command: process.execPath, args: [file] }],
      policy: { shell: { withhold: { files: false, terminals: false }, sandbox } },
    });
    await body(gateway);
  });
}

describe.skipIf(isSkipped)("protected places that a confined agent created", () => {
  test("are asked about at the end of the turn, which waits for the answer", async () => {
    await inConfined(async (gateway) => {
      const open = await opened(gateway, "shell");
      const { ask, answer } = await stopped(open, "mkdir .git; echo x > .git/config; echo > a.txt");
      const aside = asideOf(await names(gateway), ".git");
      expect(await names(gateway)).toEqual([aside, "a.txt"]);
      expect(ask.toolCall).toMatchObject({
        title: "Keep .git, which Shell made",
        kind: "edit",
        locations: [{ path: path.join(gateway.project, ".git") }],
        _meta: { [sandboxRequest]: { created: [path.join(gateway.project, ".git")] } },
      });
      expect(offered(ask)).toEqual([
        ["keep", "Allow"],
        ["reject", "Reject"],
      ]);
      expect(open.watcher.kinds).not.toContain("turn-ended");
      await answer("keep");
      expect(await fs.readFile(path.join(gateway.project, ".git/config"), "utf8")).toBe("x\n");
      const [item] = await itemsOf(open.session, "tool-call");
      expect(executionText(item!, { person: (id) => id })).toBe(
        "Run by shell · sandboxed (no network) · allowed once by tester",
      );

      // Also what is created in an allowed place later.
      const second = await stopped(open, "mkdir .git/hooks");
      expect(textOf(second.ask)).toContain("Shell made .git/hooks.");
      await second.answer("reject");
      expect(await fs.readdir(path.join(gateway.project, ".git"))).toEqual(["config"]);
      expect(await turnKinds(open, "touch b.txt")).not.toContain("ask-opened");
      // A gateway that stops has indexed all logs.
      await gateway.restart();
      const { json } = await call(gateway, "GET", "/audit");
      const entries = json["entries"] as { what: string; title?: string }[];
      expect(JSON.stringify(entries)).toContain("Keep .git, which Shell made");
    });
  });

  test("that cannot be looked for are reported, and turn and agent end", async () => {
    await inConfined(async (gateway) => {
      const { session, watcher } = await opened(gateway, "shell");
      using search = vi.spyOn(AgentPlaces.prototype, "setAside");
      search.mockRejectedValue(new LandlineError("disk-failed", { message: "The disk failed." }));
      expect(await turn(session, watcher, "true")).toMatchObject({ stopReason: "end_turn" });
      expect(await watcher.until("error")).toMatchObject({
        code: "disk-failed",
        message:
          "Landline could not look for protected places that the agent created. The disk failed.",
      });
      await session.close("tester");
      expect(watcher.kinds).toContain("agent-exited");
    });
  });

  test("are asked about when the agent ends, even without a turn", async () => {
    await inConfined(async (gateway) => {
      const { session, watcher } = await opened(gateway, "shell");
      await turn(session, watcher, "exit mkdir .claude");
      const ask = (await watcher.until("ask-opened")) as PermissionOpened;
      expect(watcher.kinds).toContain("agent-exited");
      expect(asideOf(await names(gateway), ".claude")).not.toBe("");
      // It stays open while later turns run.
      await turn(session, watcher, "true");
      await session.answer(ask.askId, { outcome: "selected", optionId: "reject" }, "tester");
      await expect.poll(() => names(gateway)).toEqual([]);
    });
  });

  test("keep another name if the session is closed before anybody was asked", async () => {
    await inConfined(async (gateway) => {
      const { session, watcher } = await opened(gateway, "shell");
      const waits = "(while [ ! -e go ]; do :; done; mkdir .vscode; touch made) >/dev/null 2>&1 &";
      await turn(session, watcher, waits);
      await fs.writeFile(path.join(gateway.project, "go"), "");
      await expect.poll(() => names(gateway)).toContain("made");
      await session.close("tester");
      const aside = asideOf(await names(gateway), ".vscode");
      expect(await watcher.until("error")).toMatchObject({
        code: "permission-denied",
        message: `Protected places that Shell created: .vscode is now ${aside} (the session was being closed, so nobody was asked).`,
      });
      expect(await names(gateway)).toEqual([aside, "go", "made"]);
    });
  });
});

type Opened = Awaited<ReturnType<typeof opened>>;

async function turnKinds({ session, watcher }: Opened, words: string): Promise<readonly string[]> {
  const before = watcher.events.length;
  await turn(session, watcher, words);
  return watcher.kinds.slice(before);
}
