import * as fs from "node:fs/promises";
import * as path from "node:path";
import { describe, expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { run, stopped } from "./command-runner.ts";
import type { ScriptedGateway } from "./scripted-gateway.ts";
import { inGateway, opened } from "./marked-gateway.ts";

const named = "{{cwd}}/{{prompt}}";

/** The prompt is the name of a file that each agent reads or writes by the gateway. */
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
};

function writing() {
  const on = { ok: [{ say: "written" }], error: [{ say: "refused" }] };
  return { writeFile: { path: named, content: "new", on } };
}

/** Starts the gateway again, with agents that are confined to their session and their own state. */
async function confine(house: ScriptedGateway): Promise<void> {
  await house.stop();
  const confined = Object.keys(agents).map(async (id) => {
    const state = path.join(house.folder, `${id}-state`);
    await fs.mkdir(state, { recursive: true });
    const sandbox = { write: [state], read: [], caches: null, network: "off" } as const;
    return [id, { withhold: { files: false, terminals: false }, sandbox }] as const;
  });
  await house.start({ policy: Object.fromEntries(await Promise.all(confined)) });
}

async function fill(house: ScriptedGateway): Promise<void> {
  const files = {
    "README.md": "readme",
    ".env": "SECRET",
    ".git/hooks/pre-commit": "#!/bin/sh",
    ".git/config": "[core]",
  };
  for (const [name, content] of Object.entries(files)) {
    await fs.mkdir(path.dirname(path.join(house.project, name)), { recursive: true });
    await fs.writeFile(path.join(house.project, name), content);
  }
  await fs.symlink(".env", path.join(house.project, "notes"));
  await fs.symlink(".git", path.join(house.project, "folder"));
}

describe.skipIf(isSkipped)("a confined agent", () => {
  test("gets no credential and changes no protected place by asking the gateway", async () => {
    await inGateway(agents, async (house) => {
      await fill(house);
      await confine(house);
      const reader = await opened(house, "reading");
      expect(await run(reader, "README.md")).toBe("readme");
      for (const name of [".env", "notes", "folder/../.env"])
        expect(await run(reader, name)).toBe("refused");
      const writer = await opened(house, "writing");
      expect(await run(writer, "made")).toBe("written");
      for (const name of [".git/hooks/pre-commit", "folder/config", ".vscode/tasks.json", "notes"])
        expect(await run(writer, name)).toBe("refused");
      const config = path.join(house.project, ".git/config");
      expect(await fs.readFile(config, "utf8")).toBe("[core]");
    });
  });

  test("changes a protected place that a person allowed, and nothing that it leads there", async () => {
    await inGateway(agents, async (house) => {
      await fill(house);
      await confine(house);
      const asking = await opened(house, "asking");
      const allowed = await stopped(asking, ".git/config");
      expect(await allowed.answer("allow_once")).toBe("written");
      const linked = await stopped(asking, "folder/hooks/pre-commit");
      expect(await linked.answer("allow_once")).toBe("refused");
    });
  });

  test("is told from one that is not confined, which can do it by itself", async () => {
    await inGateway(agents, async (house) => {
      await fill(house);
      expect(await run(await opened(house, "reading"), ".env")).toBe("SECRET");
      expect(await run(await opened(house, "writing"), ".git/config")).toBe("written");
    });
  });
});
