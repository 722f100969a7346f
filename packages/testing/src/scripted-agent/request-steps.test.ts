import { describe, expect, test } from "vitest";
import type { JsonObject } from "./json.ts";
import { openAgent } from "./agent-process.ts";
import { errorOf, resultOf, type ClientAnswers } from "./wire-client.ts";

async function played(steps: readonly unknown[], answers: ClientAnswers) {
  await using opened = await openAgent({ turns: [{ steps }] }, { answers });
  const { agent, sessionId } = opened;
  const answer = await agent.prompt(sessionId, "go");
  const requests = agent.messages.filter(
    ({ id, method }) => method !== undefined && id !== undefined,
  );
  return { answer, said: agent.said(), requests, sessionId, agent };
}

const branches = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, [{ say: name }]]));

describe("permission", () => {
  const toolCall = { toolCallId: "t", title: "Run" };
  const selected = (optionId: string): ClientAnswers => ({
    "session/request_permission": () => ({
      result: { outcome: { outcome: "selected", optionId } },
    }),
  });

  test.each([
    ["always", branches("always", "allow_always", "allow"), "always"],
    ["always", branches("allow_always", "allow"), "allow_always"],
    ["always", branches("allow", "reject"), "allow"],
    ["reject", branches("allow", "reject", "otherwise"), "reject"],
    ["reject", branches("otherwise"), "otherwise"],
  ])("%s selects the closest branch", async (optionId, on, expected) => {
    const { said, requests, sessionId } = await played(
      [{ permission: { toolCall, on } }],
      selected(optionId),
    );
    expect(said).toBe(expected);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ id: 0, params: { sessionId, toolCall } });
  });

  test("cancelled has its own branch, and needs none", async () => {
    const answers: ClientAnswers = {
      "session/request_permission": () => ({ result: { outcome: { outcome: "cancelled" } } }),
    };
    const on = branches("cancelled");
    expect((await played([{ permission: { toolCall, on } }], answers)).said).toBe("cancelled");
    const plain = await played([{ permission: { toolCall } }, { say: "on" }], answers);
    expect(plain.said).toBe("on");
  });

  test("an option that was not offered fails the turn", async () => {
    const { answer } = await played([{ permission: { toolCall } }], selected("made-up"));
    expect(errorOf(answer)["message"]).toContain("not offered");
  });
});

describe("questions", () => {
  test("a form's answer can be used, and each action has a branch", async () => {
    const ask = {
      message: "Name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
      save: "form",
      on: { accept: [{ say: "{{form.content.name}}" }], decline: [{ say: "no" }] },
    };
    const accepted = await played([{ ask }], {
      "elicitation/create": () => ({ result: { action: "accept", content: { name: "Ada" } } }),
    });
    expect(accepted.said).toBe("Ada");
    expect(accepted.requests[0]?.["params"]).toMatchObject({ mode: "form", message: "Name?" });
    const declined = await played([{ ask }], {
      "elicitation/create": () => ({ result: { action: "decline" } }),
    });
    expect(declined.said).toBe("no");
  });

  test("a URL question is asked, and completed by a notification", async () => {
    const steps = [
      { ask: { message: "Go", url: "https://example.com/", elicitationId: "e" } },
      { askDone: "e" },
    ];
    const { agent, requests } = await played(steps, {
      "elicitation/create": () => ({ result: { action: "accept" } }),
    });
    expect(requests[0]?.["params"]).toMatchObject({ mode: "url", elicitationId: "e" });
    const done = agent.messages.find(({ method }) => method === "elicitation/complete");
    expect(done).toEqual({
      jsonrpc: "2.0",
      method: "elicitation/complete",
      params: { elicitationId: "e" },
    });
  });
});

describe("files and terminals", () => {
  test("all seven requests contain the session, and later ones the terminal", async () => {
    const seen: [string, JsonObject][] = [];
    const note = (method: string, result: unknown): ClientAnswers => ({
      [method]: (params) => {
        seen.push([method, params]);
        return { result };
      },
    });
    const { answer, sessionId } = await played(
      [
        { readFile: { path: "{{cwd}}/a", line: 2, limit: 3, expect: { content: "x" } } },
        { writeFile: { path: "/repo/b", content: "y" } },
        { createTerminal: { command: "make all && echo ok" } },
        { terminalOutput: { expect: { truncated: false } } },
        { waitForExit: { save: "exit" } },
        { check: { value: "{{exit.exitCode}}", equals: 0 } },
        { killTerminal: {} },
        { releaseTerminal: {} },
      ],
      {
        ...note("fs/read_text_file", { content: "x" }),
        ...note("fs/write_text_file", {}),
        ...note("terminal/create", { terminalId: "t1" }),
        ...note("terminal/output", { output: "", truncated: false }),
        ...note("terminal/wait_for_exit", { exitCode: 0 }),
        ...note("terminal/kill", {}),
        ...note("terminal/release", {}),
      },
    );
    expect(resultOf(answer)).toEqual({ stopReason: "end_turn" });
    const terminalId = "t1";
    expect(seen).toEqual([
      ["fs/read_text_file", { sessionId, path: "/repo/a", line: 2, limit: 3 }],
      ["fs/write_text_file", { sessionId, path: "/repo/b", content: "y" }],
      ["terminal/create", { sessionId, command: "make all && echo ok" }],
      ["terminal/output", { sessionId, terminalId }],
      ["terminal/wait_for_exit", { sessionId, terminalId }],
      ["terminal/kill", { sessionId, terminalId }],
      ["terminal/release", { sessionId, terminalId }],
    ]);
  });

  test("an error selects the branch for its code, then error", async () => {
    const answers: ClientAnswers = {
      "fs/read_text_file": () => ({ error: { code: -32002, message: "gone" } }),
    };
    const read = (on: JsonObject) => [{ readFile: { path: "/repo/a", on } }];
    expect((await played(read(branches("-32002", "error")), answers)).said).toBe("-32002");
    expect((await played(read(branches("error")), answers)).said).toBe("error");
    expect((await played(read(branches("ok", "otherwise")), answers)).said).toBe("otherwise");
    const failed = await played(read({}), answers);
    expect(errorOf(failed.answer)).toMatchObject({
      code: -32603,
      data: { method: "fs/read_text_file", error: { code: -32002 } },
    });
  });

  test("a failed expectation fails the turn, in the response and on stderr", async () => {
    const answers: ClientAnswers = { "fs/read_text_file": () => ({ result: { content: "b" } }) };
    const read = { path: "/repo/a", expect: { content: "a" } };
    await using opened = await openAgent({ turns: [{ steps: [{ readFile: read }] }] }, { answers });
    const { agent, sessionId } = opened;
    const answer = await agent.prompt(sessionId, "go");
    expect(errorOf(answer)["data"]).toMatchObject({
      expected: { content: "a" },
      actual: { content: "b" },
    });
    await agent.settled(() => agent.stderr.includes('"expected":{"content":"a"}'));
  });

  test("an error can be what is expected", async () => {
    const expect403 = { error: { code: -32602 } };
    const answers: ClientAnswers = {
      "fs/write_text_file": () => ({ error: { code: -32602, message: "outside" } }),
    };
    const write = { path: "/etc/passwd", content: "", expect: expect403 };
    const { answer } = await played([{ writeFile: write }], answers);
    expect(resultOf(answer)["stopReason"]).toBe("end_turn");
    const met = await played([{ writeFile: write }], {
      "fs/write_text_file": () => ({ result: {} }),
    });
    expect(errorOf(met.answer)["message"]).toContain("not answered as expected");
  });
});

describe("any request", () => {
  test("continues immediately if it does not wait, and can be cancelled by its id", async () => {
    const { said, agent } = await played(
      [
        { request: { method: "_x/slow", params: { a: 1 }, wait: false } },
        { notify: { method: "$/cancel_request", params: { requestId: "{{lastRequestId}}" } } },
        { say: "on" },
      ],
      { "_x/slow": () => "never" },
    );
    expect(said).toBe("on");
    expect(agent.messages.find(({ method }) => method === "$/cancel_request")).toMatchObject({
      params: { requestId: 0 },
    });
  });

  test("requests in parallel steps are open at the same time", async () => {
    await using opened = await openAgent(
      {
        turns: [
          {
            steps: [
              {
                together: [
                  [{ request: { method: "_x/one" } }, { say: "one" }],
                  [{ request: { method: "_x/two" } }, { say: "two" }],
                ],
              },
            ],
          },
        ],
      },
      { answers: { "_x/one": () => "never", "_x/two": () => "never" } },
    );
    const { agent, sessionId } = opened;
    const prompt = agent.sendPrompt(sessionId, "go");
    const one = await agent.until(({ method }) => method === "_x/one");
    const two = await agent.until(({ method }) => method === "_x/two");
    agent.write({ jsonrpc: "2.0", id: two["id"], result: {} });
    await agent.settled(() => agent.said() === "two");
    agent.write({ jsonrpc: "2.0", id: one["id"], result: {} });
    await agent.answerTo(prompt);
    expect(agent.said()).toBe("twoone");
  });

  test("ids are numbers from 0, or UUIDs", async () => {
    const steps = [
      { request: { method: "_x/a", on: { error: [] } } },
      { request: { method: "_x/b", on: { error: [] } } },
    ];
    const numbers = await played(steps, {});
    expect(numbers.requests.map(({ id }) => id)).toEqual([0, 1]);
    await using opened = await openAgent({ requestIds: "uuids", turns: [{ steps }] });
    await opened.agent.prompt(opened.sessionId, "go");
    const asked = opened.agent.messages.filter(({ method }) => String(method).startsWith("_x/"));
    expect(asked.map(({ id }) => String(id))).toEqual([
      expect.stringMatching(/^[\da-f]{8}-/),
      expect.stringMatching(/^[\da-f]{8}-/),
    ]);
  });
});
