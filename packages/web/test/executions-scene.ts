import { appendFile, readdir } from "node:fs/promises";
import * as path from "node:path";
import type { Confinement, EventBody } from "@landline/protocol";
import { scenario, type TestGateway } from "./gateway.ts";
import { finds } from "./page-actions.ts";
import type { State } from "./states.ts";

/** Tool calls with every kind of execution, written into the log, because no machine has them all. */
export const executions: State = {
  name: "execution-badges",
  set: async (stage) => {
    const gateway = await stage.gateway({ agents: { codex: scenario("work") } });
    const sessionId = await gateway.open("codex");
    await executeInEveryWay(gateway, sessionId);
    return {
      gateway,
      hash: `#/s/${sessionId}`,
      show: async (page) => {
        const row = page.getByRole("button", { name: /^Run npm install/ }).first();
        await row.waitFor();
        if ((await row.getAttribute("aria-expanded")) === "false") await row.click();
        await finds(page.getByText(/outside the sandbox, allowed once by Anna$/).last());
      },
    };
  },
};

const off: Confinement = { sandbox: "bubblewrap", network: "off" };
const hosts: Confinement = { sandbox: "bubblewrap", network: ["example.com"] };

/** Stops the gateway, writes the log, and starts it again. */
export async function executeInEveryWay(gateway: TestGateway, sessionId: string): Promise<void> {
  await gateway.end("SIGTERM");
  const { head } = await gateway.view(sessionId);
  const folder = path.join(gateway.data, "sessions", sessionId);
  const segment = (await readdir(folder)).find((name) => /^\d+\.ndjson$/.test(name)) ?? "";
  const at = Date.now();
  const lines = events(gateway.project).map((event, index) =>
    JSON.stringify({ seq: head + 1 + index, at: at + index * 400, ...event }),
  );
  await appendFile(path.join(folder, segment), `${lines.join("\n")}\n`);
  await gateway.start();
}

function events(project: string): readonly EventBody[] {
  const content = [{ type: "text", text: "Repair the login, and test it" } as const];
  return [
    started({ confinement: null }),
    { kind: "prompt-queued", promptId: "p", content, by: "Anna-0a1b2c3d" },
    { kind: "turn-started", turnId: "t", promptId: "p" },
    call("read", { title: "Read src/hash.ts", kind: "read", status: "completed" }),
    says("It compares too fast. I change that."),
    ...asked("edit", { title: "Edit src/hash.ts", kind: "edit" }, { client: "Anna-0a1b2c3d" }),
    update("edit", { status: "completed" }),
    says("Now the tests."),
    ...terminal("t1", "npm test", project, off),
    ...asked("test", command("npm test", "t1"), { rule: "r" }),
    update("test", { status: "completed" }),
    says("A package is missing."),
    ...terminal("t2", "npm install", project, off),
    ...asked("install", command("npm install", "t2"), { client: "Anna-0a1b2c3d" }),
    { kind: "terminal-restarted", terminalId: "t2", confinement: null, ask: "ask-install" },
    update("install", { status: "completed" }),
    says("And it is published."),
    ...asked("push", command("git push", null), { client: "Anna-0a1b2c3d" }, "no"),
    update("push", { status: "failed" }),
    { kind: "turn-ended", turnId: "t", stopReason: "end_turn" },
    started({ isBuiltIn: true, confinement: null }),
    { kind: "prompt-queued", promptId: "q", content, by: "Anna-0a1b2c3d" },
    { kind: "turn-started", turnId: "u", promptId: "q" },
    call("own", {
      ...command("npm view", null),
      status: "completed",
      _meta: {
        landline: {
          execution: { confinement: hosts, approval: { by: "level", name: "Sandboxed" } },
        },
      },
    }),
    says("It is the latest one."),
    { kind: "turn-ended", turnId: "u", stopReason: "end_turn" },
  ];
}

function started(facts: Pick<Started, "confinement" | "isBuiltIn">): EventBody {
  const base = { agentSessionId: "a", how: "resume", info: null, capabilities: {} } as const;
  return { kind: "agent-started", ...base, ...facts };
}

type Started = Extract<EventBody, { kind: "agent-started" }>;
type Fields = Readonly<Record<string, unknown>>;

function call(toolCallId: string, fields: Fields): EventBody {
  return { kind: "update", update: { sessionUpdate: "tool_call", toolCallId, ...fields } };
}

function update(toolCallId: string, fields: Fields): EventBody {
  return { kind: "update", update: { sessionUpdate: "tool_call_update", toolCallId, ...fields } };
}

function says(text: string): EventBody {
  const content = { type: "text", text };
  return { kind: "update", update: { sessionUpdate: "agent_message_chunk", content } };
}

function command(line: string, terminalId: string | null): Fields {
  const content = terminalId === null ? [] : [{ type: "terminal", terminalId }];
  return { title: line, kind: "execute", rawInput: { command: line }, content };
}

function terminal(
  terminalId: string,
  line: string,
  cwd: string,
  confinement: Confinement,
): readonly EventBody[] {
  const [program = "", ...args] = line.split(" ");
  return [
    { kind: "terminal-opened", terminalId, command: program, args, cwd, confinement },
    { kind: "terminal-output", terminalId, text: `> ${line}\nok\n` },
    { kind: "terminal-exited", terminalId, exitCode: 0, signal: null },
  ];
}

/** A tool call with its permission decision. */
function asked(
  toolCallId: string,
  fields: Fields,
  by: { readonly client: string } | { readonly rule: string },
  optionId = "yes",
): readonly EventBody[] {
  const askId = `ask-${toolCallId}`;
  const rule = { "landline/rule": "Allow “npm test”, in this project. It can do more." };
  return [
    call(toolCallId, fields),
    {
      kind: "ask-opened",
      askId,
      ask: "permission",
      toolCall: { toolCallId },
      options: [
        { optionId: "yes", name: "Allow", kind: "allow_once" },
        { optionId: "no", name: "Reject", kind: "reject_once" },
      ],
    },
    {
      kind: "ask-settled",
      askId,
      outcome: { outcome: "selected", optionId, ...("rule" in by ? { _meta: rule } : {}) },
      by,
    },
  ];
}
