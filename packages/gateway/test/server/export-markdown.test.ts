import type { EventBody } from "@landline/protocol";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { TestGateway, Writes, type LoggedSession } from "./test-gateway.ts";

let test: TestGateway;
let session: LoggedSession;

beforeAll(async () => {
  test = await TestGateway.start();
});
beforeEach(async () => {
  session = await test.recorded();
});
afterAll(() => test[Symbol.asyncDispose]());

const update = (fields: object) =>
  session.append({ kind: "update", update: fields as Readonly<Record<string, unknown>> });

const exported = async () =>
  (await test.ask(`/api/sessions/${session.id}/export?format=markdown`)).text();

const prompt = (promptId: string, by: string) =>
  session.append({
    kind: "prompt-queued",
    promptId,
    content: [{ type: "text", text: "hello" }],
    by,
  });

const options = [
  { optionId: "1", name: "Yes", kind: "allow_once" },
  { optionId: "2", name: "Always allow npm test", kind: "allow_always" },
  { optionId: "3", name: "No", kind: "reject_once" },
] as const;

type Settled = Omit<Extract<EventBody, { kind: "ask-settled" }>, "kind" | "askId">;

function askAbout(title: string, settled: Settled | null): void {
  const askId = `ask about ${title}`;
  const toolCall = { toolCallId: title, title };
  session.append({ kind: "ask-opened", askId, ask: "permission", toolCall, options });
  if (settled) session.append({ kind: "ask-settled", askId, ...settled });
}

const chosen = (optionId: string) => ({ outcome: "selected", optionId }) as const;

const headings = (text: string) =>
  text.split("\n").flatMap((line) => (line.startsWith("##") ? [line.replace(/^#+ /, "")] : []));

it("names people as the page does: you, others by their devices, and removed ones by their ids", async () => {
  const phone = await test.addToken({ name: "Anna’s phone", role: "control" });
  const me = await test.clientId();
  prompt("1", phone.id);
  prompt("2", "old-laptop-0a1b2c3d");
  prompt("3", me);
  session.append(
    { kind: "turn-started", turnId: "1", promptId: "1" },
    {
      kind: "ask-opened",
      askId: "q",
      ask: "question",
      request: { mode: "form", message: "Really?", requestedSchema: {} } as never,
    },
    {
      kind: "ask-settled",
      askId: "q",
      outcome: { action: "decline" },
      by: { client: phone.id },
    },
    { kind: "turn-ended", turnId: "1", stopReason: "end_turn" },
    { kind: "turn-started", turnId: "2", promptId: "2" },
    { kind: "turn-ended", turnId: "2", stopReason: "cancelled" },
    { kind: "turn-started", turnId: "3", promptId: "3" },
  );
  expect(headings(await exported())).toEqual([
    "Anna’s phone",
    "Anna’s phone declined “Really?”",
    "old laptop",
    "The turn was stopped",
    "You",
  ]);
});

it("describes each decision, by whom, and its note", async () => {
  const by = { client: await test.clientId() };
  askAbout("npm test", { outcome: chosen("1"), by });
  askAbout("npm run build", { outcome: chosen("2"), by });
  askAbout("rm -r", { outcome: chosen("3"), by, note: "Use make instead." });
  const _meta = { "landline/rule": "Allow “ls”, everywhere." };
  askAbout("ls", { outcome: { ...chosen("1"), _meta }, by: { rule: "r" } });
  askAbout("git push", { outcome: chosen("3"), by: { gateway: "policy" } });
  askAbout("make", { outcome: { outcome: "cancelled" }, by: { gateway: "turn-cancelled" } });
  askAbout("tar", null);
  const text = await exported();
  expect(headings(text).filter((heading) => !heading.startsWith("Tool: "))).toEqual([
    "You allowed “npm test” once",
    "You allowed “npm run build”",
    "You rejected “rm -r”",
    "A rule allowed “ls”",
    "The settings of the gateway rejected “git push”",
    "Not answered, because the turn was stopped: “make”",
    "Not answered yet: “tar”",
  ]);
  expect(text).toContain("_Always allow npm test · ");
  expect(text).toContain("_Allow “ls”, everywhere. · ");
  expect(text).toContain("\n\nUse make instead.\n");
  expect(text).not.toContain("ask about");
});

it("contains answers with the labels of the form, and no password", async () => {
  const requestedSchema = {
    properties: {
      colour: { type: "string", title: "Colour", oneOf: [{ const: "r", title: "Red" }] },
      loud: { type: "boolean" },
      word: { type: "string", title: "Word", format: "password" },
    },
  };
  session.append(
    {
      kind: "ask-opened",
      askId: "q",
      ask: "question",
      request: { mode: "form", message: "How?", requestedSchema } as never,
    },
    {
      kind: "ask-settled",
      askId: "q",
      outcome: { action: "accept", content: { colour: "r", loud: true, word: "open sesame" } },
      by: { client: "old-laptop-0a1b2c3d" },
    },
  );
  const text = await exported();
  expect(text).toContain("## old laptop answered “How?”");
  expect(text).toContain("Colour: `Red`, loud: `yes`, Word: `not shown`");
  expect(text).not.toContain("sesame");
});

const tool = (fields: object) =>
  update({ sessionUpdate: "tool_call", toolCallId: "c", title: "T", ...fields });
const text = (words: string) => ({ type: "content", content: { type: "text", text: words } });
/** The text after the line that says how a call was executed. */
const afterTime = async () =>
  (await exported())
    .split(" UTC_\n\n")
    .at(-1)
    ?.replace(/^_Run by .* · not asked_\n\n/, "");

it("shows for each call who ran it, how it was confined, and who allowed it", async () => {
  const phone = await test.addToken({ name: "Anna’s phone", role: "control" });
  const start = { kind: "agent-started", agentSessionId: "a", how: "new", info: null } as const;
  session.append({ ...start, capabilities: {}, confinement: null });
  const confinement = { sandbox: "bubblewrap", network: ["example.com"] } as const;
  const terminal = { terminalId: "t", command: "ls", args: [], cwd: "/repo" };
  session.append({ kind: "terminal-opened", ...terminal, confinement });
  askAbout("npm test", { outcome: chosen("1"), by: { client: phone.id } });
  tool({ content: [{ type: "terminal", terminalId: "t" }] });
  const words = [
    "Run by scripted · not confined by Landline · allowed once by Anna’s phone",
    "Run by Landline · sandboxed (example.com) · not asked",
  ];
  const markdown = await exported();
  for (const line of words) expect(markdown).toContain(`\n_${line}_\n`);
  const address = `/api/sessions/${session.id}/export?format=`;
  const html = await (await test.ask(`${address}html`)).text();
  for (const line of words) expect(html).toContain(`<div class="note">${line}</div>`);
  const { executions } = (await (await test.ask(`${address}json`)).json()) as {
    readonly executions: readonly unknown[];
  };
  expect(executions).toMatchObject([
    { toolCallId: "npm test", words: words[0], execution: { by: "agent", confinement: null } },
    { words: words[1], execution: { by: "landline", confinement } },
  ]);
});

it("has short inputs on one line, and long ones in fences", async () => {
  tool({
    rawInput: { command: "a `b`", cwd: "/repo/src", script: "x\n```\ny", n: [1], no: null },
  });
  expect(await afterTime()).toBe(
    "command: `` a `b` ``, cwd: `src`\n\nscript:\n\n````\nx\n```\ny\n````\n\nn:\n\n```json\n[\n  1\n]\n```\n",
  );
});

it("uses the fence that an agent put around an output", async () => {
  tool({ content: [text("```console\n$ ls\n```")] });
  expect(await afterTime()).toBe("```console\n$ ls\n```\n");
});

it("contains output that an agent sent only as raw output", async () => {
  tool({ rawOutput: "done\n" });
  expect(await afterTime()).toBe("```\ndone\n```\n");
});

it("renders plans and to-do lists as lists", async () => {
  const todos = [
    { content: "One *thing*", status: "completed" },
    { content: "Another", status: "in_progress" },
  ];
  const list = "- [x] One \\*thing\\*\n- [ ] Another (in progress)\n";
  tool({ rawInput: { todos }, rawOutput: { todos } });
  expect(await afterTime()).toBe(list);
  update({
    sessionUpdate: "plan",
    entries: todos,
  });
  expect(await afterTime()).toBe(`${list}\n## The plan, as it was at the end\n\n${list}`);
});

it("reports what it omits", async () => {
  const block = (content: object) => ({ type: "content", content });
  tool({
    content: [
      block({ type: "image", mimeType: "image/png", data: "aGVsbG8=" }),
      block({ type: "audio", mimeType: "audio/wav", data: "aGVsbG8=" }),
      block({ type: "resource", resource: { uri: "file:///a.bin", blob: "aGVsbG8=" } }),
      text("x".repeat(300_000)),
      { type: "terminal", terminalId: "nobody knows" },
    ],
  });
  expect((await afterTime())?.replace(/[0-9a-f]{64}/, "HASH").split("\n\n")).toEqual([
    "_An image (image/png) is omitted here. The HTML export has it._",
    "_A sound (audio/wav) is omitted here._",
    "Attached: `file:///a.bin`",
    "_Its content is not text and is omitted here._",
    "_A text of 293 KiB is omitted here. The gateway stores it as the blob HASH._",
    "_The output of a command is omitted here._\n",
  ]);
});

it("contains the output of commands, without control sequences", async () => {
  session.append(
    {
      kind: "terminal-opened",
      terminalId: "t",
      command: "/bin/sh",
      args: ["-c", "npm test"],
      cwd: "/repo",
    },
    { kind: "terminal-output", terminalId: "t", text: "\u001b[31mfailed\u001b[0m\n" },
    { kind: "terminal-exited", terminalId: "t", exitCode: 1, signal: null },
  );
  tool({ content: [{ type: "terminal", terminalId: "t" }] });
  expect(await afterTime()).toBe("```\n$ npm test\nfailed\n```\n\n_It failed with exit code 1._\n");
});

it("contains no secret that was passed to a command", async () => {
  const args = ["--token", "plainword", "--password=abc def", "-v"];
  session.append({
    kind: "terminal-opened",
    terminalId: "t",
    command: "deploy",
    args,
    cwd: "/repo",
  });
  tool({
    rawInput: { command: "deploy --token hunter2" },
    content: [{ type: "terminal", terminalId: "t" }],
  });
  expect(await afterTime()).toBe(
    "command: `deploy --token [masked]`\n\n```\n$ deploy --token [masked] --password=[masked] -v\n```\n",
  );
});

it.each([undefined, "helper"])(
  "contains the output of each of many commands (of %s)",
  async (child) => {
    const numbers = Array.from({ length: 300 }, (_, number) => number);
    prompt("1", "old-laptop-0a1b2c3d");
    session.append({ kind: "turn-started", turnId: "1", promptId: "1" });
    if (child) tool({ status: "in_progress", rawInput: { subagent_type: "explore" } });
    for (const number of numbers) {
      const terminalId = `t${number}`;
      const content = [{ type: "terminal", terminalId }];
      session.append(
        { kind: "terminal-opened", terminalId, command: "echo", args: [], cwd: "/repo" },
        { kind: "terminal-output", terminalId, text: `wrote ${number}\n` },
        { kind: "terminal-exited", terminalId, exitCode: 0, signal: null },
        {
          kind: "update",
          ...(child !== undefined && { child }),
          update: {
            sessionUpdate: "tool_call",
            toolCallId: terminalId,
            title: "T",
            status: "completed",
            content,
          },
        },
      );
    }
    const whole = await exported();
    const wrote = [...whole.matchAll(/^wrote (\d+)$/gm)].map(([, number]) => number);
    expect(wrote).toEqual(numbers.map(String));
    expect(headings(whole)[0]).toBe("old laptop");
    // Again after the call that started it, which was open until then.
    expect(whole.split("\n## Subagent: ")).toHaveLength(child ? 3 : 1);
  },
);

it("reports a crash once, and how the agent was restarted", async () => {
  const message = "The agent ended with code 3";
  const started = {
    kind: "agent-started",
    agentSessionId: "a",
    info: null,
    capabilities: {},
  } as const;
  session.append({ ...started, how: "new" });
  prompt("1", "old-laptop-0a1b2c3d");
  session.append(
    { kind: "turn-started", turnId: "1", promptId: "1" },
    { kind: "agent-exited", code: 3, signal: null, stderr: "segmentation fault" },
    { kind: "error", code: "agent-exited", message },
    {
      kind: "turn-ended",
      turnId: "1",
      stopReason: "failed",
      error: { code: "agent-exited", message },
    },
    { ...started, how: "transcript" },
  );
  const whole = await exported();
  expect(headings(whole)).toEqual([
    "old laptop",
    "The agent ended with code 3",
    "Error",
    "The turn failed",
    "The agent was restarted with a transcript of the conversation",
  ]);
  expect(whole).toContain("```\nsegmentation fault\n```");
  expect(whole.split(`\n${message}\n`)).toHaveLength(2);
});

it("does not guess why a turn was cut off: a fork does it too", async () => {
  prompt("1", "old-laptop-0a1b2c3d");
  session.append(
    { kind: "turn-started", turnId: "1", promptId: "1" },
    { kind: "turn-ended", turnId: "1", stopReason: "interrupted" },
  );
  expect(headings(await exported())).toEqual(["old laptop", "The turn was cut off"]);
});

it("quotes text whose markup would extend to later text", async () => {
  session.says("Look:\n\n```ts\nconst a = 1;");
  expect(await afterTime()).toBe("> Look:\n> \n> ```ts\n> const a = 1;\n");
});

it("quotes line by line, for any line ends, and only there", async () => {
  session.says("```\r\none\rtwo \u2028 three\nfour");
  expect(await afterTime()).toBe("> ```\r\n> one\r> two \u2028 three\n> four\n");
});

it("has the items of a subagent after the conversation, under its name", async () => {
  const child = (fields: object) =>
    session.append({ kind: "update", child: "helper", update: { ...fields } });
  tool({ title: "Look around", status: "completed", rawInput: { subagent_type: "explore" } });
  child({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Found it." } });
  session.says("Thank you.");
  const found = headings(await exported());
  expect(found.slice(0, 2)).toEqual(["Tool: Look around", "Agent"]);
  expect(found[2]).toMatch(/^Subagent: /);
  expect(found[3]).toBe("Agent");
});

it("of a long log is generated while it is sent", async () => {
  for (let count = 0; count < 5_000; count++) {
    update({
      sessionUpdate: "tool_call",
      toolCallId: `c${count}`,
      status: "completed",
      title: "T",
    });
    session.says(`said ${count}. `);
  }
  const writes = new Writes(test);
  const whole = await exported();
  expect(writes.longest).toBeLessThan(200_000);
  const said = [...whole.matchAll(/^said (\d+)\.$/gm)].map((found) => Number(found[1]));
  expect(said).toEqual(Array.from({ length: 5_000 }, (_, count) => count));
});
