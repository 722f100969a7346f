import { LandlineError, type GatewayFrame } from "@landline/protocol";
import { expect, it } from "vitest";
import type { Http } from "./http.ts";
import { TerminalStream } from "./terminal-stream.ts";
import { defaultTiming } from "./timing.ts";

/** Resolves with the received frames and the requests when the gateway has sent all its answers. */
async function shown(answers: readonly (LandlineError | { text: string; next: number })[]) {
  const left = [...answers];
  const asked: unknown[] = [];
  const heard: GatewayFrame[] = [];
  const started: unknown[] = [];
  const over = Promise.withResolvers<void>();
  const record: Http["record"] = async (_method, _path, parts) => {
    asked.push(parts?.query);
    const answer = left.shift() ?? new LandlineError("terminal-not-found");
    if (left.length === 0 && answer instanceof LandlineError) setTimeout(() => over.resolve());
    if (answer instanceof LandlineError) throw answer;
    return answer;
  };
  const stream = new TerminalStream({
    http: { record } as Http,
    timing: { ...defaultTiming, retryMs: 1 },
    terminalId: "t",
    heard: (frame) => heard.push(frame),
    started: (error) => started.push(error),
  });
  await over.promise;
  stream.close();
  const texts = heard.map((frame) => (frame.type === "terminal" ? frame.text : null));
  return { texts, asked, started };
}

it("resumes after temporary errors, even before its first answer", async () => {
  const { texts, asked, started } = await shown([
    new LandlineError("connection-lost"),
    { text: "Code: ", next: 6 },
    new LandlineError("timeout"),
    { text: "", next: 6 },
    { text: "12", next: 8 },
  ]);
  expect(texts).toEqual(["Code: ", "12"]);
  expect(started).toEqual([null]);
  const wait = defaultTiming.quietMs;
  const after = { after: 6, wait };
  expect(asked).toEqual([{}, {}, after, after, after, { after: 8, wait }]);
});

it("fails for an unknown terminal and is not requested again", async () => {
  const { asked, started } = await shown([]);
  expect(started).toMatchObject([{ code: "terminal-not-found" }]);
  expect(asked).toEqual([{}]);
});
