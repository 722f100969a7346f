import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { streamStep } from "../../src/model/stream.ts";

/** A model that warns, and then fails: neither may print anything. */
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const warnings = [{ type: "other" as const, message: "this is a warning" }];
let calls = 0;
const model = new MockLanguageModelV4({
  doStream: () => {
    calls += 1;
    if (calls > 1) throw new Error("this is a failure");
    return Promise.resolve({
      stream: simulateReadableStream({
        chunks: [
          { type: "stream-start" as const, warnings },
          {
            type: "finish" as const,
            finishReason: { unified: "stop" as const, raw: "stop" },
            usage,
          },
        ],
      }),
    });
  },
});
const { signal } = new AbortController();
const request = {
  model,
  system: "",
  messages: [{ role: "user" as const, content: "x" }],
  tools: [],
  signal,
};
const finishes: string[] = [];
for await (const part of streamStep(request)) finishes.push(part.type);
try {
  for await (const part of streamStep(request)) finishes.push(part.type);
} catch (error) {
  finishes.push((error as Error).name);
}
process.exitCode = finishes.join() === "finish,ModelProblem" ? 0 : 1;
