import { describe, expect, test } from "vitest";
import { ModelProblem } from "./model.ts";
import { toModelProblem } from "./model-problem.ts";
import { readProviderError } from "./provider-error.ts";
import { retryAfterMsOf } from "./retry-after.ts";

const model = { provider: "anthropic.messages", modelId: "claude-x" };

function problem(error: unknown, provider = model.provider): ModelProblem {
  return toModelProblem(error, { ...model, provider });
}

describe("the meaning of a failure", () => {
  test.each([
    [
      { statusCode: 400, message: "API key not valid. Please pass a valid API key." },
      "sign-in-needed",
    ],
    [{ statusCode: 403, message: "forbidden" }, "sign-in-needed"],
    [{ name: "AI_LoadAPIKeyError", message: "OpenAI API key is missing." }, "sign-in-needed"],
    [
      {
        statusCode: 429,
        message: "Rate limit reached for 30000 tokens per min. Request too large",
      },
      "rate-limited",
    ],
    [{ type: "overloaded_error", message: "Overloaded" }, "provider-error"],
    [{ statusCode: 413, message: "Payload Too Large" }, "context-overflow"],
    [
      {
        statusCode: 400,
        message: "the request exceeds the available context size. try increasing n_ctx",
      },
      "context-overflow",
    ],
    [
      { statusCode: 400, message: "Please reduce the length of the messages or completion." },
      "context-overflow",
    ],
    [
      {
        statusCode: 400,
        message: "x",
        responseBody: '{"error":{"code":"context_length_exceeded"}}',
      },
      "context-overflow",
    ],
    [
      {
        statusCode: 400,
        message:
          "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
      },
      "refused",
    ],
    [
      { statusCode: 400, message: "messages.0.content.1.image: Could not process image" },
      "attachment-refused",
    ],
    [
      {
        statusCode: 400,
        message: "image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
      },
      "attachment-refused",
    ],
    [
      { statusCode: 400, message: "Unable to process input image. Please retry." },
      "attachment-refused",
    ],
    [
      {
        statusCode: 400,
        message: "You uploaded an unsupported image. Please make sure your image is valid.",
        data: { error: { code: "invalid_image_format" } },
      },
      "attachment-refused",
    ],
    [
      { statusCode: 404, message: "No endpoints found that support image input" },
      "attachment-refused",
    ],
    [
      { statusCode: 500, message: "image input is not supported - hint: provide the mmproj" },
      "attachment-refused",
    ],
    [{ statusCode: 400, message: "The PDF specified was not valid." }, "attachment-refused"],
    [{ statusCode: 503, message: "image service unavailable" }, "provider-error"],
    [{ statusCode: 404, message: "Not Found" }, "unknown-model"],
    [{ statusCode: 400, message: "The model `gpt-9` does not exist" }, "unknown-model"],
    [{ message: "fetch failed", cause: { code: "ENOTFOUND" } }, "unreachable"],
    [{ statusCode: 422, message: "tools.0.name: wrong" }, "provider-error"],
    ["just words", "provider-error"],
    [undefined, "provider-error"],
    [null, "provider-error"],
    [{ error: { message: "inside" } }, "provider-error"],
  ])("%j is %s", (error, reason) => {
    expect(problem(error).reason).toBe(reason);
  });

  test("no credit left is not retried, although its status suggests it", () => {
    const found = problem({
      statusCode: 429,
      message: "You exceeded your current quota",
      data: { error: { code: "insufficient_quota" } },
    });
    expect(found).toMatchObject({ reason: "provider-error", isTransient: false });
    expect(found.message).toContain("credit");
    expect(
      problem({ statusCode: 400, message: "Your credit balance is too low" }).isTransient,
    ).toBe(false);
    expect(problem({ statusCode: 402, message: "Payment Required" }).isTransient).toBe(false);
  });

  test("a problem is returned unchanged", () => {
    const known = new ModelProblem("refused", "no");
    expect(problem(known)).toBe(known);
  });

  test("a circular chain of causes ends", () => {
    const error = new Error("round");
    error.cause = error;
    expect(problem(error).message).toContain("round");
  });
});

describe("the message", () => {
  test("contains the provider's message, truncated and on one line", () => {
    const { message } = problem({ statusCode: 400, message: `a\n\n b ${"x".repeat(5_000)}` });
    expect(message).toContain("“a b x");
    expect(message.length).toBeLessThan(1_000);
  });

  test("contains no key, even if the provider repeats it", () => {
    for (const key of [
      "sk-ant-api03-abcdefghijklmnop",
      "AIzaSyA1234567890abcdefg",
      "gsk_abcdefghijklmnop",
      "xai-abcdefghijklmnop",
    ])
      expect(
        problem({ statusCode: 401, message: `Incorrect API key provided: ${key}.` }).message,
      ).not.toContain(key);
  });

  test("explains how to sign in, for known providers and others", () => {
    expect(problem({ statusCode: 401, message: "" }).message).toContain("set ANTHROPIC_API_KEY");
    expect(problem({ statusCode: 401, message: "" }, "mine.chat").message).toContain(
      "provider “mine” in the config",
    );
  });

  test("explains what to do about a server that does not run", () => {
    const { message } = problem(
      {
        message: "Cannot connect to API: connect ECONNREFUSED 127.0.0.1:11434",
        url: "http://127.0.0.1:11434/v1/chat/completions",
        cause: { code: "ECONNREFUSED" },
      },
      "ollama.chat",
    );
    expect(message).toContain("Ollama can't be reached at http://127.0.0.1:11434");
    expect(message).toContain("start the server");
  });
});

describe("the retry delay", () => {
  const wait = (error: unknown, now?: number) => retryAfterMsOf(readProviderError(error), now);

  test.each([
    [{ "retry-after": "2" }, 2_000],
    [{ "Retry-After": "1.5" }, 1_500],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-1" }, undefined],
    [{}, undefined],
  ])("%j", (responseHeaders, expected) => {
    expect(wait({ statusCode: 429, message: "", responseHeaders })).toBe(expected);
  });

  test("until a date, never before now", () => {
    const responseHeaders = { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" };
    const at = Date.UTC(2026, 9, 21, 7, 28);
    expect(wait({ responseHeaders }, at - 5_000)).toBe(5_000);
    expect(wait({ responseHeaders }, at + 5_000)).toBe(0);
  });

  test("is read from Google's body", () => {
    const details = [{ "@type": "x" }, { retryDelay: "34.5s" }];
    expect(wait({ statusCode: 429, responseBody: JSON.stringify({ error: { details } }) })).toBe(
      34_500,
    );
    expect(wait({ responseBody: "no json" })).toBeUndefined();
  });
});
