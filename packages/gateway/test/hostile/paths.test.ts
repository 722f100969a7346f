import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { ErrorCode } from "@landline/protocol";
import { scriptedAgentCommand } from "@landline/testing";
import { expect, test } from "vitest";
import { hostilePaths } from "../acp-client/hostile-paths.ts";
import { makeHostileTree } from "../acp-client/hostile-tree.ts";
import { turn, Watcher, type ScriptedGateway } from "../sessions/scripted-gateway.ts";
import { inGateway, opened } from "../sessions/marked-gateway.ts";
import { refused } from "./refusal.ts";

/** The project is the agent's cwd; the prompt contains the folder outside. */
const placed = (given: string) =>
  given.replaceAll("PROJECT", "{{cwd}}").replaceAll("OUTSIDE", "{{prompt}}");

type Use = "read" | "write";

function ask(use: Use, given: string, more: object): object {
  const where = { path: placed(given), ...more };
  return use === "read" ? { readFile: where } : { writeFile: { content: "hacked", ...where } };
}

/** Each step is named, so that a failed turn shows where. */
const asking = (steps: readonly object[]) => ({
  turns: [{ steps: steps.flatMap((step, index) => [{ say: `${index} ` }, step]) }],
});

/** Plays the turn with the hostile tree in place; returns the files before and after. */
async function play(gateway: ScriptedGateway, watch?: (watcher: Watcher) => void) {
  const outside = path.join(gateway.folder, "outside");
  await fs.mkdir(outside);
  await using _tree = await makeHostileTree({ project: gateway.project, outside });
  const pictures = async () => ({
    project: await pictureOf(gateway.project),
    outside: [...(await pictureOf(outside)), ...(await pictureOf(`${gateway.project}-other`))],
  });
  const before = await pictures();
  const { session, watcher } = await opened(gateway);
  const ended = await turn(session, watcher, outside);
  expect({ ended: ended.error ?? ended.stopReason, at: watcher.said }).toMatchObject({
    ended: "end_turn",
  });
  watch?.(watcher);
  return { before, after: await pictures() };
}

/** Everything below the folder: names, types, link targets and texts. */
async function pictureOf(folder: string): Promise<readonly string[]> {
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const lines = entries.map(async (entry) => {
    const at = path.join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) return `${at} -> ${await fs.readlink(at)}`;
    return entry.isFile() ? `${at}: ${await fs.readFile(at, "utf8")}` : at;
  });
  return (await Promise.all(lines)).sort();
}

const nothingServed = (watcher: Watcher) => {
  expect(watcher.kinds).not.toContain("file-read");
  expect(watcher.kinds).not.toContain("file-written");
};

test.concurrent.each<Use>(["read", "write"])("no hostile path is served: %s", async (use) => {
  const rows = hostilePaths.filter((row) => row[use] !== "taken");
  expect(rows.length).toBeGreaterThan(50);
  const steps = rows.map((row) => ask(use, row.path, refused(row[use] as ErrorCode)));
  await inGateway({ agent: asking(steps) }, async (gateway) => {
    const { before, after } = await play(gateway, nothingServed);
    expect(after).toEqual(before);
  });
});

test.concurrent("names that only look hostile are written inside, and nothing outside changes", async () => {
  const rows = hostilePaths.filter(({ write }) => write === "taken");
  await inGateway(
    { agent: asking(rows.map((row) => ask("write", row.path, {}))) },
    async (gateway) => {
      const { before, after } = await play(gateway, (watcher) => {
        const written = watcher.events.flatMap((one) => (one.kind === "file-written" ? [one] : []));
        expect(written).toHaveLength(rows.length);
        for (const one of written) expect(one.path.startsWith(`${gateway.project}/`)).toBe(true);
      });
      expect(after.outside).toEqual(before.outside);
    },
  );
});

test.concurrent("a relative path is refused with advice", async () => {
  const message =
    "The path is not absolute. Send an absolute path. For an agent that can't, a person can add the quirk relativePaths to its entry in the gateway's config.";
  const step = { readFile: { path: "a.txt", expect: { error: { message } } } };
  await inGateway({ agent: asking([step]) }, async (gateway) => {
    const { before, after } = await play(gateway, nothingServed);
    expect(after).toEqual(before);
  });
});

test.concurrent("a file URL names its file", async () => {
  const steps = [
    { writeFile: { path: "file://{{cwd}}/with%20space.txt", content: "x" } },
    { readFile: { path: "file://localhost{{cwd}}/with%20space.txt", expect: { content: "x" } } },
  ];
  await inGateway({ agent: asking(steps) }, async (gateway) => {
    const { after } = await play(gateway, ({ events }) => {
      const written = events.find((one) => one.kind === "file-written");
      expect(written).toMatchObject({ path: `${gateway.project}/with space.txt` });
    });
    expect(after.project.join()).not.toContain("file:");
  });
});

test.concurrent("a terminal refuses a folder that is not an absolute path", async () => {
  const steps = [".", "folder", "~", "file:", "file:folder"].map((cwd) => ({
    createTerminal: { command: "true", cwd, ...refused("invalid-params") },
  }));
  await inGateway({ agent: asking(steps) }, async (gateway) => {
    await play(gateway, (watcher) => expect(watcher.kinds).not.toContain("terminal-opened"));
  });
});

/** Restarts the gateway with an agent whose config entry has the quirk. */
async function withRelativePaths(gateway: ScriptedGateway): Promise<void> {
  const agent = scriptedAgentCommand(path.join(gateway.folder, "agent.json"));
  await gateway.stop();
  await gateway.start({ agents: [{ id: "agent", ...agent, quirks: ["relativePaths"] }] });
}

const relativeSteps = [
  { writeFile: { path: "new/b.txt", content: "b" } },
  { readFile: { path: "./new/b.txt", expect: { content: "b" } } },
  { createTerminal: { command: "true", cwd: "new" } },
  ask("write", "~/x", refused("invalid-params")),
  ask("write", "~", refused("invalid-params")),
  ask("write", "./~/x", refused("invalid-params")),
  ask("write", "file:x", refused("invalid-params")),
  ask("write", "./file:/x", refused("invalid-params")),
  ask("write", "https://example.com/x", refused("invalid-params")),
  ask("write", "../outside/secret.txt", refused("permission-denied")),
];

test.concurrent("an agent with the quirk relativePaths may name files from the session's folder", async () => {
  await inGateway({ agent: asking(relativeSteps) }, async (gateway) => {
    await withRelativePaths(gateway);
    const { before, after } = await play(gateway);
    expect(after.outside).toEqual(before.outside);
    const made = after.project.filter((line) => !before.project.includes(line));
    expect(made).toEqual([`${gateway.project}/new`, `${gateway.project}/new/b.txt: b`]);
  });
});

test.concurrent("under spec relative paths are refused although the agent has the quirk", async () => {
  const steps = ["a.txt", "./a.txt", "new/b.txt"].flatMap((given) => [
    ask("read", given, refused("invalid-params")),
    ask("write", given, refused("invalid-params")),
  ]);
  await inGateway(
    { agent: asking(steps) },
    async (gateway) => {
      await withRelativePaths(gateway);
      const { before, after } = await play(gateway, nothingServed);
      expect(after).toEqual(before);
    },
    { profile: "spec" },
  );
});

const sessionId = "{{sessionId}}";
const call = (method: string, params: object) => ({
  request: { method, params, ...refused("invalid-params") },
});

test.concurrent("requests with invalid params read and write nothing", async () => {
  const file = "{{cwd}}/a.txt";
  const steps = [
    call("fs/read_text_file", { sessionId }),
    call("fs/read_text_file", { sessionId, path: 7 }),
    call("fs/read_text_file", { sessionId, path: [file] }),
    call("fs/read_text_file", { sessionId, path: file, line: -1 }),
    call("fs/read_text_file", { sessionId, path: file, line: 1.5 }),
    call("fs/read_text_file", { sessionId, path: file, limit: "all" }),
    call("fs/read_text_file", { sessionId, path: file, limit: 1e300 }),
    call("fs/write_text_file", { sessionId, path: file }),
    call("fs/write_text_file", { sessionId, path: file, content: null }),
    call("fs/write_text_file", { sessionId, path: file, content: { text: "hacked" } }),
    call("fs/write_text_file", { sessionId, path: file, content: "a\0b" }),
    call("fs/write_text_file", { sessionId, path: file, content: "half \uD800" }),
    call("fs/write_text_file", { sessionId: 1, path: file, content: "hacked" }),
  ];
  await inGateway({ agent: asking(steps) }, async (gateway) => {
    const { before, after } = await play(gateway, nothingServed);
    expect(after).toEqual(before);
  });
});

test.concurrent("files above the size limit, and binary files, are neither read nor written", async () => {
  const steps = [
    ask("read", "PROJECT/large.txt", refused("file-too-large")),
    ask("read", "PROJECT/binary", refused("file-too-large")),
    ask("write", "PROJECT/a.txt", { content: "x".repeat(1_001), ...refused("file-too-large") }),
    ask("write", "PROJECT/new", { content: "ü".repeat(501), ...refused("file-too-large") }),
  ];
  await inGateway(
    { agent: asking(steps) },
    async (gateway) => {
      await fs.writeFile(path.join(gateway.project, "large.txt"), "x".repeat(1_001));
      await fs.writeFile(path.join(gateway.project, "binary"), Buffer.from([0, 255, 254, 1]));
      const { before, after } = await play(gateway, nothingServed);
      expect(after).toEqual(before);
    },
    { limits: { fileBytes: 1_000 } },
  );
});

test.concurrent("the gateway's own data is served to nobody, although it is in the session's folder", async () => {
  const refusedThere = refused("permission-denied");
  const agent = asking([
    ask("read", "PROJECT/data/tokens.json", refusedThere),
    ask("read", "PROJECT/project/to-data/tokens.json", refusedThere),
    ask("write", "PROJECT/data/tokens.json", refusedThere),
    ask("write", "PROJECT/data/new.json", refusedThere),
    { createTerminal: { command: "true", cwd: "{{cwd}}/data", ...refusedThere } },
  ]);
  await inGateway({ agent }, async (gateway) => {
    await fs.symlink(gateway.data, path.join(gateway.project, "to-data"));
    const tokens = await fs.readFile(path.join(gateway.data, "tokens.json"), "utf8");
    const { sessions } = gateway;
    const session = await sessions.open({ agent: "agent", cwd: gateway.folder, by: "tester" });
    using watcher = new Watcher(session);
    expect(await turn(session, watcher, "go")).toMatchObject({ stopReason: "end_turn" });
    nothingServed(watcher);
    expect(await fs.readFile(path.join(gateway.data, "tokens.json"), "utf8")).toBe(tokens);
    expect(await fs.readdir(gateway.data)).not.toContain("new.json");
  });
});
