import * as fs from "node:fs/promises";
import * as path from "node:path";
import { describe, expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { run, runner, stopped } from "./command-runner.ts";
import { inGateway, opened } from "./marked-gateway.ts";
import { type ScriptedGateway, Watcher } from "./scripted-gateway.ts";

const named = "{{cwd}}/{{prompt}}";

/** The prompt is the name of a file that each agent reads or writes through the gateway. */
const agents = {
  reading: {
    turns: [
      {
        steps: [
          {
            readFile: {
              path: named,
              save: "file",
              on: { ok: [{ say: "{{file.content}}" }], error: [{ say: "refused" }] },
            },
          },
        ],
      },
    ],
    whenTurnsRunOut: "again",
  },
  writing: {
    turns: [{ steps: [writing()] }],
    whenTurnsRunOut: "again",
  },
  asking: {
    turns: [
      {
        steps: [
          {
            permission: {
              toolCall: { toolCallId: "w", kind: "edit", locations: [{ path: named }] },
              on: { allow: [writing()], reject: [{ say: "rejected" }] },
            },
          },
        ],
      },
    ],
    whenTurnsRunOut: "again",
  },
  running: runner,
};

function writing() {
  const on = { ok: [{ say: "written" }], error: [{ say: "refused" }] };
  return { writeFile: { path: named, content: "new", on } };
}

/** Restarts the gateway, with agents that are confined to their session and their own state. */
async function confine(gateway: ScriptedGateway): Promise<void> {
  await gateway.stop();
  const confined = Object.keys(agents).map(async (id) => {
    const state = path.join(gateway.folder, `${id}-state`);
    await fs.mkdir(state, { recursive: true });
    const sandbox = { write: [state], read: [], caches: null, network: "off" } as const;
    return [id, { withhold: { files: false, terminals: false }, sandbox }] as const;
  });
  await gateway.start({ policy: Object.fromEntries(await Promise.all(confined)) });
}

async function fill(gateway: ScriptedGateway): Promise<void> {
  const files = {
    "README.md": "readme",
    ".env": "SECRET",
    ".git/hooks/pre-commit": "#!/bin/sh",
    ".git/config": "[core]",
  };
  await writeAll(gateway.project, files);
  await linkAll(gateway.project, { notes: ".env", folder: ".git" });
}

async function writeAll(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await fs.mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await fs.writeFile(path.join(folder, name), content);
  }
}

/** By the names of the links. */
async function linkAll(folder: string, links: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, target] of Object.entries(links))
    await fs.symlink(target, path.join(folder, name));
}

describe.skipIf(isSkipped)("a confined agent", () => {
  test("gets no credential and changes no protected place through the gateway", async () => {
    await inGateway(agents, async (gateway) => {
      await fill(gateway);
      await confine(gateway);
      const reader = await opened(gateway, "reading");
      expect(await run(reader, "README.md")).toBe("readme");
      for (const name of [".env", "notes", "folder/../.env"])
        expect(await run(reader, name)).toBe("refused");
      const writer = await opened(gateway, "writing");
      expect(await run(writer, "made")).toBe("written");
      for (const name of [".git/hooks/pre-commit", "folder/config", ".vscode/tasks.json", "notes"])
        expect(await run(writer, name)).toBe("refused");
      const config = path.join(gateway.project, ".git/config");
      expect(await fs.readFile(config, "utf8")).toBe("[core]");
    });
  });

  test("gets nothing that the link of a credential or a protected place leads to, by a terminal neither", async () => {
    await inGateway(agents, async (gateway) => {
      const files = ["config/production.txt", "cloud/account", "editor/tasks.json", "beside.txt"];
      await writeAll(gateway.project, Object.fromEntries(files.map((name) => [name, "CONTENT"])));
      const links = { ".env": "config/production.txt", ".aws": "cloud", ".vscode": "editor" };
      await linkAll(gateway.project, links);
      await confine(gateway);
      const reader = await opened(gateway, "reading");
      const terminal = await opened(gateway, "running");
      for (const name of ["config/production.txt", "cloud/account"]) {
        const command = await stopped(terminal, `cat ${name}`);
        expect(await command.answer("reject_once")).toContain("Permission denied");
        expect(await run(reader, name)).toBe("refused");
      }
      expect(await run(reader, "editor/tasks.json")).toBe("CONTENT");
      expect(await run(reader, "beside.txt")).toBe("CONTENT");
      const writer = await opened(gateway, "writing");
      for (const name of ["config/production.txt", "cloud/new", "editor/tasks.json"])
        expect(await run(writer, name)).toBe("refused");
      expect(await run(writer, "config/new")).toBe("written");
      const asking = await opened(gateway, "asking");
      const asked = await stopped(asking, "config/production.txt");
      expect(await asked.answer("allow_once")).toBe("written");
    });
  });

  test("is guarded in each folder of its session", async () => {
    await inGateway(agents, async (gateway) => {
      const more = path.join(gateway.folder, "more");
      await writeAll(more, { "settings.txt": "CONTENT", "beside.txt": "CONTENT" });
      await linkAll(more, { ".env": "settings.txt" });
      await confine(gateway);
      const roots = [gateway.project, more];
      const { sessions } = gateway;
      const session = await sessions.open({
        agent: "reading",
        cwd: gateway.project,
        roots,
        by: "tester",
      });
      const reader = { session, watcher: new Watcher(session) };
      expect(await run(reader, "../more/beside.txt")).toBe("CONTENT");
      expect(await run(reader, "../more/settings.txt")).toBe("refused");
    });
  });

  test("changes a protected place that a person allowed, and nothing that it leads there", async () => {
    await inGateway(agents, async (gateway) => {
      await fill(gateway);
      await confine(gateway);
      const asking = await opened(gateway, "asking");
      const allowed = await stopped(asking, ".git/config");
      expect(await allowed.answer("allow_once")).toBe("written");
      const linked = await stopped(asking, "folder/hooks/pre-commit");
      expect(await linked.answer("allow_once")).toBe("refused");
    });
  });

  test("differs from an unconfined agent, which can do it itself", async () => {
    await inGateway(agents, async (gateway) => {
      await fill(gateway);
      expect(await run(await opened(gateway, "reading"), ".env")).toBe("SECRET");
      expect(await run(await opened(gateway, "writing"), ".git/config")).toBe("written");
    });
  });
});
