import * as fs from "node:fs/promises";
import * as path from "node:path";
import { expect, test } from "vitest";
import { turn, type ScriptedGateway } from "../sessions/scripted-gateway.ts";
import { answering, inGateway, opened, shipped } from "../sessions/marked-gateway.ts";
import { ask } from "../spec/http.ts";

interface Entry {
  readonly seq: number;
  readonly what: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The audit over HTTP, which waits for the index. */
async function auditOf(gateway: ScriptedGateway, query = ""): Promise<readonly Entry[]> {
  const { json } = await ask(gateway, "GET", `/audit${query}`);
  // Created tokens belong to no session.
  return (json["entries"] as readonly Entry[]).filter(({ what }) => !what.startsWith("token-"));
}

const startsOf = (entries: readonly Entry[]) =>
  entries.filter(({ what }) => what === "tool-started").map(({ detail }) => detail);

const run = (toolCallId: string, command: string, status = "pending") => ({
  tool: { toolCallId, title: command, kind: "execute", status, rawInput: { command } },
});
const done = (toolCallId: string) => ({ toolUpdate: { toolCallId, status: "completed" } });

test.concurrent("a call that reuses the id of a finished call is in the audit", async () => {
  const steps = [run("1", "ls"), done("1"), run("1", "rm -rf build"), done("1")];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await turn(session, watcher, "go");
    const entries = await auditOf(gateway);
    expect(entries.map(({ what, detail }) => [what, detail["title"], detail["commands"]])).toEqual([
      ["tool-started", "ls", ["ls"]],
      ["tool-ended", "ls", ["ls"]],
      ["tool-started", "rm -rf build", ["rm -rf build"]],
      ["tool-ended", "rm -rf build", ["rm -rf build"]],
    ]);
    expect(entries.map(({ detail }) => [detail["programs"], detail["does"]])).toEqual([
      [["ls"], ["reads files"]],
      [["ls"], ["reads files"]],
      [["rm"], ["deletes files"]],
      [["rm"], ["deletes files"]],
    ]);
    const { json } = await ask(gateway, "GET", "/search?q=ls");
    expect(json["hits"]).toHaveLength(1);
  });
});

test.concurrent("an agent that counts its calls from one in each turn has all of them in the audit", async () => {
  const turns = [
    { steps: [run("1", "ls", "completed")] },
    { steps: [run("1", "pwd")] },
    { steps: [run("1", "rm -rf build", "completed")] },
  ];
  await inGateway({ agent: { turns } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    for (const words of ["one", "two", "three"]) await turn(session, watcher, words);
    const entries = await auditOf(gateway);
    expect(startsOf(entries).map(({ title }) => title)).toEqual(["ls", "pwd", "rm -rf build"]);
  });
});

test.concurrent("a permission request for the id of a finished call is another call", async () => {
  const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
  const toolCall = {
    toolCallId: "1",
    title: "Run a command",
    kind: "execute",
    rawInput: { command: "rm -rf build" },
  };
  const steps = [run("1", "ls"), done("1"), { permission: { toolCall, options } }, done("1")];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    await answering(await opened(gateway), "go", "allow_once");
    const entries = await auditOf(gateway);
    expect(startsOf(entries)).toMatchObject([
      { commands: ["ls"] },
      { commands: ["rm -rf build"], kind: "execute" },
    ]);
    expect(entries.filter(({ what }) => what === "permission-decided")).toMatchObject([
      { detail: { toolCallId: "1", title: "Run a command", commands: ["rm -rf build"] } },
    ]);
  });
});

test.concurrent("the audit names everything that a call and its permission request named", async () => {
  const steps = [
    {
      tool: {
        toolCallId: "1",
        title: "Read a file",
        kind: "read",
        status: "pending",
        rawInput: { command: "cat a.txt" },
        locations: [{ path: "/repo/a.txt" }],
      },
    },
    {
      permission: {
        toolCall: {
          toolCallId: "1",
          title: "Edit",
          kind: "edit",
          content: [{ type: "diff", path: "/etc/passwd", oldText: "a", newText: "b" }],
        },
        options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
      },
    },
    {
      toolUpdate: {
        toolCallId: "1",
        title: "Tidy up",
        kind: "execute",
        rawInput: { command: ["bash", "-c", "rm -rf build"] },
      },
    },
    done("1"),
    { toolUpdate: { toolCallId: "1", title: "Named after its end" } },
  ];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    await answering(await opened(gateway), "go", "allow_once");
    const entries = await auditOf(gateway);
    expect(startsOf(entries)).toHaveLength(1);
    expect(entries.filter(({ what }) => what === "permission-decided")).toMatchObject([
      {
        detail: {
          titles: ["Read a file", "Edit"],
          commands: ["cat a.txt"],
          paths: ["/repo/a.txt", "/etc/passwd"],
        },
      },
    ]);
    expect(entries.at(-1)).toMatchObject({
      what: "tool-changed",
      detail: {
        titles: ["Read a file", "Edit", "Tidy up", "Named after its end"],
        kinds: ["read", "edit", "execute"],
        commands: ["cat a.txt", "bash -c 'rm -rf build'"],
        paths: ["/repo/a.txt", "/etc/passwd"],
      },
    });
  });
});

test.concurrent("the audit and the search know every field of a call's input", async () => {
  const rawInput = {
    file_path: "/etc/passwd",
    command: "ls",
    cwd: "/srv/elsewhere",
    script: "rm -rf build",
    url: "http://evil.example/payload",
    plan: { steps: [{ gadget: "shred /var/tmp/ledger" }] },
  };
  const told = {
    commands: ["ls"],
    paths: ["/etc/passwd", "/srv/elsewhere"],
    urls: ["http://evil.example/payload"],
    mayBeCommandsOrPaths: ["rm -rf build", "shred /var/tmp/ledger"],
    mayDoMore: ["the meaning of “script” is unknown", "the meaning of “gadget” is unknown"],
  };
  const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
  const steps = [
    { tool: { toolCallId: "1", title: "Look", kind: "execute", status: "pending", rawInput } },
    done("1"),
    { permission: { toolCall: { toolCallId: "2", title: "Ask", rawInput }, options } },
    { tool: { toolCallId: "3", title: "Begin", kind: "other", status: "pending" } },
    { toolUpdate: { toolCallId: "3", rawInput, status: "completed" } },
  ];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    await answering(await opened(gateway), "go", "allow_once");
    const entries = await auditOf(gateway);
    expect(entries.map(({ what, detail }) => [what, detail["toolCallId"]])).toEqual([
      ["tool-started", "1"],
      ["tool-ended", "1"],
      ["tool-started", "2"],
      ["permission-decided", "2"],
      ["tool-started", "3"],
      ["tool-ended", "3"],
      ["tool-ended", "2"],
    ]);
    const named = entries.filter(({ detail }) => detail["title"] !== "Begin");
    expect(named.map(({ detail }) => detail)).toMatchObject(named.map(() => told));
    expect(entries.findLast(({ detail }) => detail["toolCallId"] === "3")).toMatchObject({
      detail: told,
    });
    for (const words of ["passwd", "elsewhere", '"rm -rf build"', "evil.example", "ledger"]) {
      const { json } = await ask(gateway, "GET", `/search?q=${encodeURIComponent(words)}`);
      expect(json["hits"]).toHaveLength(3);
    }
  });
});

test.concurrent("a text of a call that is too long for the log is in the audit up to its limit", async () => {
  const long = `rm -rf build # ${"x".repeat(300_000)}`;
  const rawInput = { command: long, path: "/repo/a.txt", content: long };
  const steps = [
    { tool: { toolCallId: "1", title: "Clean", kind: "execute", status: "pending", rawInput } },
    done("1"),
  ];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await turn(session, watcher, "go");
    const [start] = startsOf(await auditOf(gateway));
    expect(start).toMatchObject({
      commands: [expect.stringMatching(/^rm -rf build # x{1000}/)],
      paths: ["/repo/a.txt"],
      truncated: true,
      programs: ["rm"],
    });
    expect(start).not.toHaveProperty("mayBeCommandsOrPaths");
  });
});

test.concurrent.each(["claude", "codex", "copilot", "cline", "goose", "opencode", "qwen"])(
  "each call is in the audit once, however the agent announces it (like-%s)",
  async (name) => {
    const scenario = { ...(await shipped(`like-${name}`)), authentication: undefined };
    await inGateway({ agent: scenario }, async (gateway) => {
      const conversation = await opened(gateway);
      await answering(conversation, "write", "allow_once");
      const view = await conversation.session.view();
      const calls = view.items.filter((item) => item.type === "tool-call");
      const entries = await auditOf(gateway);
      expect(startsOf(entries).map(({ toolCallId }) => toolCallId)).toEqual(
        calls.map(({ toolCallId }) => toolCallId),
      );
    });
  },
);

test.concurrent("the audit records who deleted a session, even after a restart and without the index", async () => {
  await inGateway(
    { agent: { turns: [{ steps: [run("1", "ls", "completed")] }] } },
    async (gateway) => {
      const { session, watcher } = await opened(gateway);
      await turn(session, watcher, "go");
      const deletion = {
        sessionId: session.id,
        what: "session-deleted",
        detail: { agent: "agent", cwd: gateway.project, by: expect.stringMatching(/./u) },
      };
      const { status } = await ask(gateway, "DELETE", `/sessions/${session.id}?erase=true`);
      expect(status).toBe(204);
      expect(await auditOf(gateway)).toMatchObject([deletion]);
      expect(await auditOf(gateway, `?session=${session.id}`)).toMatchObject([deletion]);
      expect(await auditOf(gateway, "?session=another")).toEqual([]);
      await gateway.restart();
      expect(await auditOf(gateway)).toMatchObject([deletion]);
      await gateway.stop();
      await fs.rm(path.join(gateway.data, "derived.sqlite"));
      await gateway.start();
      expect(await auditOf(gateway)).toMatchObject([deletion]);
    },
  );
});
