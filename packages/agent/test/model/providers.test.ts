import { describe, expect, test } from "vitest";
import { effortOptions } from "../../src/model/reasoning-effort.ts";
import { collect, deltasOf, kinds, openStep, textOf } from "./provider-fixture.ts";

describe.each(kinds)("$kind", (each) => {
  const { kind, id, model: modelId } = each;

  test("streams text, with its usage and its end", async () => {
    const { server, step } = await openStep(each, [
      {
        parts: [{ type: "text", text: "Hello there, you.", chunkLength: 4 }],
        usage: { inputTokens: 100, outputTokens: 7, cachedReadTokens: 60 },
      },
    ]);
    const parts = await collect(step());
    expect(textOf(parts)).toBe("Hello there, you.");
    expect(parts.filter(({ type }) => type === "text-delta").length).toBeGreaterThan(2);
    expect(parts.filter(({ type }) => type === "text-end")).toHaveLength(1);
    expect(parts.at(-1)).toEqual({
      type: "finish",
      finish: "stop",
      usage: {
        inputTokens: 100,
        outputTokens: 7,
        thoughtTokens: 0,
        cachedReadTokens: 60,
        cachedWriteTokens: 0,
      },
    });
    const [request] = server.requests;
    expect(request?.system).toContain("Be brief.");
    expect(request?.userText).toBe("Hello");
    expect(request?.tools.map(({ name }) => name).sort()).toEqual(["read", "server_echo"]);
    expect(request?.headers["x-team"]).toBe("seven");
  });

  test("streams thoughts separately from text, with provider metadata", async () => {
    const { step } = await openStep(each, [
      {
        parts: [
          { type: "reasoning", text: "Let me see." },
          { type: "text", text: "Yes." },
        ],
        usage: { inputTokens: 10, outputTokens: 30, reasoningTokens: 20 },
      },
    ]);
    const providerOptions = effortOptions(
      { id: `${id}/${modelId}`, efforts: ["high"] },
      kind,
      "high",
    );
    const parts = await collect(step({ providerOptions }));
    expect(deltasOf(parts, "thought-delta")).toBe("Let me see.");
    expect(textOf(parts)).toBe("Yes.");
    expect(parts.filter(({ type }) => type === "thought-end")).toHaveLength(1);
    const end = parts.find((part) => part.type === "thought-end");
    const signed = end?.provider?.["anthropic"] !== undefined;
    expect(signed).toBe(kind === "anthropic");
  });

  test("returns tool calls, several at once, and runs none", async () => {
    const { step } = await openStep(each, [
      {
        parts: [
          { type: "text", text: "I look." },
          { type: "tool-call", name: "read", arguments: { filePath: "a.txt" } },
          { type: "tool-call", name: "server_echo", arguments: { text: "x" } },
        ],
      },
    ]);
    const parts = await collect(step());
    const calls = parts.filter((part) => part.type === "tool-call");
    expect(calls.map(({ tool, input }) => ({ tool, input }))).toEqual([
      { tool: "read", input: { filePath: "a.txt" } },
      { tool: "server_echo", input: { text: "x" } },
    ]);
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(2);
    for (const { callId } of calls) {
      const at = parts.findIndex(
        (part) => part.type === "tool-input-start" && part.callId === callId,
      );
      const called = parts.findIndex((part) => part.type === "tool-call" && part.callId === callId);
      expect(at).toBeGreaterThanOrEqual(0);
      expect(at).toBeLessThan(called);
    }
    expect(parts.at(-1)).toMatchObject({ type: "finish", finish: "tool-calls" });
  });

  test("finds a tool whose name has other capitals", async () => {
    const { step } = await openStep(each, [
      { parts: [{ type: "tool-call", name: "Read", arguments: { filePath: "a" } }] },
    ]);
    const parts = await collect(step());
    expect(parts.filter((part) => "tool" in part).map(({ tool }) => tool)).toEqual([
      "read",
      "read",
    ]);
  });

  test("reports invalid input of a tool", async () => {
    const { step } = await openStep(each, [
      { parts: [{ type: "tool-call", name: "read", arguments: { limit: "ten" } }] },
    ]);
    const invalid = (await collect(step())).find((part) => part.type === "tool-call-invalid");
    expect(invalid).toMatchObject({ tool: "read", input: { limit: "ten" } });
    expect(invalid?.problem).toMatch(/filePath.*limit/s);
  });

  test("lists the tools if there is none of that name", async () => {
    const { step } = await openStep(each, [
      { parts: [{ type: "tool-call", name: "teleport", arguments: {} }] },
    ]);
    const invalid = (await collect(step())).find((part) => part.type === "tool-call-invalid");
    expect(invalid?.problem).toContain("“teleport”");
    expect(invalid?.problem).toContain("read, server_echo");
  });

  test("sends images", async () => {
    const { server, step } = await openStep(each, ["A dot."]);
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await collect(
      step({
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "What is it?" },
              { type: "file", data: png, mediaType: "image/png" },
            ],
          },
        ],
      }),
    );
    const attachments = server.requests[0]?.messages.flatMap((message) => message.attachments);
    expect(attachments).toHaveLength(1);
    expect(JSON.stringify(server.requests[0]?.body)).toContain(png);
  });

  test("returns thoughts, calls and results in the next step", async () => {
    const { server, step } = await openStep(each, [
      {
        parts: [
          { type: "reasoning", text: "Look first." },
          { type: "tool-call", name: "read", arguments: { filePath: "a" } },
        ],
      },
      "Done.",
    ]);
    const first = await collect(step());
    const call = first.find((part) => part.type === "tool-call");
    const thought = first.find((part) => part.type === "thought-end");
    await collect(
      step({
        messages: [
          { role: "user", content: "Hello" },
          {
            role: "assistant",
            content: [
              ...(thought?.provider === undefined
                ? []
                : [
                    {
                      type: "reasoning" as const,
                      text: "Look first.",
                      providerOptions: thought.provider as Record<string, Record<string, string>>,
                    },
                  ]),
              {
                type: "tool-call",
                toolCallId: call?.callId ?? "",
                toolName: "read",
                input: call?.input,
                ...(call?.provider === undefined
                  ? {}
                  : { providerOptions: call.provider as Record<string, Record<string, string>> }),
              },
            ],
          },
          {
            role: "tool",
            content: [
              {
                type: "tool-result",
                toolCallId: call?.callId ?? "",
                toolName: "read",
                output: { type: "error-text", value: "no such file" },
              },
            ],
          },
        ],
      }),
    );
    const second = server.requests[1];
    expect(second?.toolResults.map(({ text }) => text).join()).toContain("no such file");
    const isBack = second?.messages.some(({ reasoning }) => reasoning === "Look first.");
    expect(isBack).toBe(thought?.provider !== undefined);
  });

  test("a refusal and the length limit are separate stop reasons", async () => {
    const { step } = await openStep(each, [
      { parts: [{ type: "text", text: "half" }], stopReason: "max-tokens" },
      { parts: [{ type: "refusal", text: "I won't." }] },
    ]);
    expect((await collect(step())).at(-1)).toMatchObject({ finish: "length" });
    const refused = (await collect(step())).at(-1);
    expect(refused).toMatchObject({ finish: "refusal" });
  });
});

test("Anthropic receives cache markers, if worthwhile", async () => {
  const { server, step } = await openStep(kinds[0], ["One.", "Two."]);
  await collect(step());
  await collect(step({ tools: [] }));
  const marks = server.requests.map(
    ({ body }) => JSON.stringify(body).match(/cache_control/g)?.length ?? 0,
  );
  expect(marks).toEqual([2, 0]);
});

test("OpenAI stores nothing, and returns encrypted thoughts", async () => {
  const { server, step } = await openStep(kinds[1], ["One."]);
  const info = { id: "openai/gpt-6.1-sol", efforts: ["low"] };
  await collect(step({ providerOptions: effortOptions(info, "openai", "low") }));
  expect(server.requests[0]?.body).toMatchObject({
    store: false,
    reasoning: { effort: "low", summary: "auto" },
    include: ["reasoning.encrypted_content"],
  });
});

test("OpenRouter receives cache markers for Anthropic's models only", async () => {
  const router = {
    ...kinds[3],
    model: "anthropic/claude-sonnet-5.5",
  } as unknown as (typeof kinds)[3];
  const { server, step } = await openStep(router, ["One."]);
  await collect(step({ providerOptions: { openaiCompatible: { reasoningEffort: "low" } } }));
  expect(server.requests[0]?.body).toMatchObject({
    cache_control: { type: "ephemeral" },
    reasoning_effort: "low",
  });
  const other = await openStep(kinds[3], ["One."]);
  await collect(other.step());
  expect(other.server.requests[0]?.body).not.toHaveProperty("cache_control");
});
