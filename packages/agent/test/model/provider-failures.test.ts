import { describe, expect, test } from "vitest";
import type { StepPart } from "../../src/model/stream.ts";
import { kinds, openStep, problemOf, tapped, textOf } from "./provider-fixture.ts";

describe.each(kinds)("$kind", (each) => {
  const { kind, id, model: modelId } = each;

  test("401 requests a sign-in, and shows no key", async () => {
    const { step } = await openStep(each, [
      { trouble: { kind: "http-error", status: 401, message: "bad key sk-test-0123456789abcdef" } },
    ]);
    const problem = await problemOf(step());
    expect(problem).toMatchObject({ reason: "sign-in-needed", isTransient: false });
    expect(problem.message).toContain(`landline agent login ${id}`);
    expect(problem.message).not.toContain("0123456789");
  });

  test("429 is retried, after the time that the provider gives", async () => {
    const { step } = await openStep(each, [
      {
        trouble: { kind: "http-error", status: 429, message: "slow down", retryAfterSeconds: 3 },
      },
      {
        trouble: { kind: "http-error", status: 429, headers: { "retry-after-ms": "250" } },
      },
    ]);
    const problem = await problemOf(step());
    expect(problem).toMatchObject({
      reason: "rate-limited",
      isTransient: true,
      retryAfterMs: 3_000,
    });
    expect(problem.message).toContain("slow down");
    expect((await problemOf(step())).retryAfterMs).toBe(250);
  });

  test("500 and 529 are retried; 400 is not", async () => {
    const { server, step } = await openStep(each, [
      { trouble: { kind: "http-error", status: 500, message: "oh no" } },
      { trouble: { kind: "http-error", status: 529, message: "Overloaded" } },
      { trouble: { kind: "http-error", status: 400, message: "temperature is wrong" } },
    ]);
    expect(await problemOf(step())).toMatchObject({ reason: "provider-error", isTransient: true });
    const overloaded = await problemOf(step());
    expect(overloaded).toMatchObject({ reason: "provider-error", isTransient: true });
    expect(overloaded.message).toContain("overloaded");
    const wrong = await problemOf(step());
    expect(wrong).toMatchObject({ reason: "provider-error", isTransient: false });
    expect(wrong.message).toContain("temperature is wrong");
    expect(server.requests).toHaveLength(3);
  });

  test("an unknown model is recognised", async () => {
    const { step } = await openStep(each, [
      { trouble: { kind: "http-error", status: 404, message: `model: ${modelId} not found` } },
    ]);
    const problem = await problemOf(step());
    expect(problem.reason).toBe("unknown-model");
    expect(problem.message).toContain(modelId);
  });

  test("a context that is too long is recognised", async () => {
    const words = {
      anthropic: "prompt is too long: 1000123 tokens > 1000000 maximum",
      openai: "Your input exceeds the context window of this model. Please adjust your input.",
      google:
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      "openai-compatible":
        "This endpoint's maximum context length is 128000 tokens. However, you requested 130000.",
    }[kind];
    const { step } = await openStep(each, [
      { trouble: { kind: "http-error", status: 400, message: words } },
    ]);
    expect(await problemOf(step())).toMatchObject({
      reason: "context-overflow",
      isTransient: false,
    });
  });

  test("an error inside the stream is thrown after the output before it", async () => {
    const { step } = await openStep(each, [
      {
        parts: [{ type: "text", text: "one two three four", chunkLength: 4 }],
        trouble: { kind: "stream-error", afterChunks: 2 },
      },
    ]);
    const parts: StepPart[] = [];
    const problem = await problemOf(tapped(step(), parts));
    expect(textOf(parts)).toBe("one two ");
    expect(problem).toMatchObject({ reason: "provider-error", isTransient: true });
  });

  test("a connection that is cut is retried, before and after the first output", async () => {
    const { step } = await openStep(each, [
      {
        parts: [{ type: "text", text: "one two three four", chunkLength: 4 }],
        trouble: { kind: "cut", afterChunks: 2 },
      },
      { parts: [{ type: "text", text: "x" }], trouble: { kind: "cut", beforeHeaders: true } },
    ]);
    const parts: StepPart[] = [];
    const problem = await problemOf(tapped(step(), parts));
    expect(textOf(parts)).toBe("one two ");
    expect(problem).toMatchObject({ reason: "unreachable", isTransient: true });
    expect(await problemOf(step())).toMatchObject({ reason: "unreachable", isTransient: true });
  });

  test("a server that does not run is unreachable, and its address is named", async () => {
    const { server, step } = await openStep(each, []);
    await server.close();
    const problem = await problemOf(step());
    expect(problem).toMatchObject({ reason: "unreachable", isTransient: true });
    expect(problem.message).toContain(server.url);
  });

  test("an invalid response is retried", async () => {
    const { step } = await openStep(each, [
      {
        parts: [{ type: "text", text: "one two" }],
        trouble: { kind: "malformed", afterChunks: 0 },
      },
    ]);
    expect(await problemOf(step())).toMatchObject({ reason: "provider-error", isTransient: true });
  });
});
