import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { assert, asyncProperty, string } from "fast-check";
import type { JsonObject } from "./json.ts";
import type { ProviderName } from "./request.ts";
import type { Script } from "./script.ts";
import { startModelServer, type ModelServer } from "./server.ts";

/** How a client of one provider sends requests and reads responses, without using server code. */
export interface ProviderForm {
  readonly name: ProviderName;
  readonly toolCallId: RegExp;
  /** Whether tool arguments come in pieces. */
  readonly streamsArguments: boolean;
  readonly words: {
    readonly stop: string;
    readonly maxTokens: string;
    readonly toolCalls: string;
    readonly refusal: string;
    readonly filtered: string;
  };
  path(stream: boolean): string;
  body(asked: Asked): JsonObject;
  /** The events of a stream, in order. Throws if one of them is not JSON. */
  events(wire: string): JsonObject[];
  hear(events: readonly JsonObject[]): Heard;
  hearWhole(body: JsonObject): Heard;
  errorOf(body: JsonObject): string;
}

export interface Asked {
  readonly stream: boolean;
  readonly text: string;
  /** The model's earlier call, with the result of the tool. */
  readonly answered?: { readonly id: string; readonly result: string };
}

export interface Heard {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly toolCalls: readonly {
    readonly id: string;
    readonly name: string;
    readonly text: string;
  }[];
  readonly usage: readonly [input: number, output: number];
  readonly stop: string;
}

/** The server-sent events, without `[DONE]`. */
export function sseEvents(wire: string): JsonObject[] {
  return wire
    .split(/\r?\n\r?\n/)
    .flatMap((event) => event.split(/\r?\n/))
    .filter((line) => line.startsWith("data: ") && line !== "data: [DONE]")
    .map((line) => JSON.parse(line.slice("data: ".length)) as JsonObject);
}

const toolName = "read_file";
const toolArguments = { path: "/repo/a/rather/long/path.txt", limit: 10 };
const text = "Grüße from the model: 👩‍🚀 and a few more words, so that it takes several chunks.";

export function providerContract(form: ProviderForm): void {
  describe(`${form.name}: a client of this provider`, () => {
    let server: ModelServer;

    beforeEach(async () => {
      server = await startModelServer({ script: () => "unused" });
    });
    afterEach(() => server.close());

    async function play(script: Script): Promise<void> {
      await server.close();
      server = await startModelServer({ script });
    }

    function send(asked: Partial<Asked> = {}, signal?: AbortSignal): Promise<Response> {
      const whole = { stream: true, text: "Hello", ...asked };
      return fetch(server.url + form.path(whole.stream), {
        method: "POST",
        headers: { "content-type": "application/json", "x-test-key": "secret-key" },
        body: JSON.stringify(form.body(whole)),
        ...(signal && { signal }),
      });
    }

    async function hear(stream: boolean): Promise<Heard> {
      const response = await send({ stream });
      expect(response.status).toBe(200);
      const wire = await response.text();
      return stream ? form.hear(form.events(wire)) : form.hearWhole(JSON.parse(wire) as JsonObject);
    }

    /** The received data, and whether the stream ended normally. */
    async function hearBroken(): Promise<{ readonly wire: string; readonly broken: boolean }> {
      const response = await send();
      const decoder = new TextDecoder();
      let wire = "";
      try {
        for await (const chunk of response.body ?? [])
          wire += decoder.decode(chunk as Uint8Array, { stream: true });
        return { wire, broken: false };
      } catch {
        return { wire, broken: true };
      }
    }

    describe.each([{ stream: true }, { stream: false }])("with stream: $stream", ({ stream }) => {
      test("receives text, thoughts, usage and the end", async () => {
        await play([
          {
            parts: [
              { type: "reasoning", text: "First I think about it for a while." },
              { type: "text", text },
            ],
            usage: {
              inputTokens: 120,
              outputTokens: 45,
              reasoningTokens: 20,
              cachedReadTokens: 30,
              cachedWriteTokens: 10,
            },
          },
        ]);
        const heard = await hear(stream);
        expect(heard).toMatchObject({
          text,
          reasoning: "First I think about it for a while.",
          toolCalls: [],
          usage: [120, 45],
          stop: form.words.stop,
        });
      });

      test("receives two tool calls, and can return the result of one", async () => {
        const call = { type: "tool-call", name: toolName, arguments: toolArguments } as const;
        const second = { ...call, id: "given-id", arguments: {} };
        await play([{ parts: [call, second] }, { when: { toolResult: "line one" }, parts: [] }]);
        const heard = await hear(stream);
        const [first, other] = heard.toolCalls;
        expect(first?.name).toBe(toolName);
        expect(first?.id).toMatch(form.toolCallId);
        expect(JSON.parse(first?.text ?? "")).toEqual(toolArguments);
        expect(other).toEqual({ id: "given-id", name: toolName, text: "{}" });
        expect(heard.stop).toBe(form.words.toolCalls);

        const answered = { id: first?.id ?? "", result: "line one\nline two" };
        const response = await send({ stream, text: "Read it", answered });
        expect(response.status).toBe(200);
        await response.text();
        const request = server.requests[1];
        expect(request?.toolResults).toEqual([
          { id: answered.id, name: toolName, text: answered.result, isError: false },
        ]);
        expect(request?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
        expect(request?.messages[1]?.toolCalls).toEqual([
          { id: answered.id, name: toolName, arguments: toolArguments },
        ]);
        expect(request?.userText).toBe("Read it");
      });

      test("receives the stop reason for the token limit", async () => {
        await play([{ parts: [{ type: "text", text: "So far" }], stopReason: "max-tokens" }]);
        expect(await hear(stream)).toMatchObject({ text: "So far", stop: form.words.maxTokens });
      });

      test("receives the stop reason for a refusal", async () => {
        await play([
          { parts: [{ type: "refusal", text: "I will not do that." }] },
          { stopReason: "refusal" },
        ]);
        expect(await hear(stream)).toMatchObject({
          refusal: "I will not do that.",
          stop: form.words.refusal,
        });
        expect((await hear(stream)).stop).toBe(form.words.filtered);
      });

      test("receives HTTP errors in the provider's own form, with headers", async () => {
        await play([
          {
            trouble: {
              kind: "http-error",
              status: 429,
              message: "Slow down",
              retryAfterSeconds: 7,
              headers: { "x-extra": "yes" },
            },
          },
          { trouble: { kind: "http-error", status: 502, body: "<html>Bad gateway</html>" } },
        ]);
        const limited = await send({ stream });
        expect(limited.status).toBe(429);
        expect(limited.headers.get("retry-after")).toBe("7");
        expect(limited.headers.get("x-extra")).toBe("yes");
        expect(form.errorOf((await limited.json()) as JsonObject)).toBe("Slow down");
        const proxy = await send({ stream });
        expect(proxy.status).toBe(502);
        expect(await proxy.text()).toBe("<html>Bad gateway</html>");
      });

      test.each([400, 401, 403, 404, 413, 500, 503, 529])(
        "receives a message for a bare status %i",
        async (status) => {
          await play([{ trouble: { kind: "http-error", status } }]);
          const response = await send({ stream });
          expect(response.status).toBe(status);
          expect(form.errorOf((await response.json()) as JsonObject)).not.toBe("");
        },
      );

      test("receives a clear error when the script is exhausted", async () => {
        await play(["only this"]);
        expect((await hear(stream)).text).toBe("only this");
        expect(server.exhausted).toBe(false);
        const response = await send({ stream, text: "once more" });
        expect(response.status).toBe(500);
        const message = form.errorOf((await response.json()) as JsonObject);
        expect(message).toContain("script of the model server is exhausted");
        expect(message).toContain("once more");
        expect(server.exhausted).toBe(true);
      });

      test("sees a socket that is cut before the headers", async () => {
        await play([{ trouble: { kind: "cut", beforeHeaders: true } }]);
        await expect(send({ stream })).rejects.toThrow("fetch failed");
        expect(await server.requests[0]?.ended).toBe("cut");
      });
    });

    test("receives text in chunks of the requested length", async () => {
      await play([{ parts: [{ type: "text", text: "abcdefgh", chunkLength: 3 }] }]);
      const events = form.events(await (await send()).text());
      const heard = events.map((event) => form.hear([event]).text).filter((part) => part !== "");
      expect(heard).toEqual(["abc", "def", "gh"]);
    });

    test("receives any text unchanged", async () => {
      const replies: string[] = [];
      await play(() => ({
        parts: [{ type: "text", text: replies.at(-1) ?? "", chunkLength: 2 }],
      }));
      await assert(
        asyncProperty(string({ unit: "binary", maxLength: 40 }), async (any) => {
          replies.push(any);
          const written = any.toWellFormed();
          expect((await hear(true)).text.toWellFormed()).toBe(written);
        }),
        { numRuns: 25 },
      );
    });

    test("receives arguments as the provider sends them", async () => {
      const part = { type: "tool-call", name: toolName, arguments: toolArguments } as const;
      await play([{ parts: [part], chunkLength: 5 }]);
      const events = form.events(await (await send()).text());
      const pieces = events
        .map((event) => form.hear([event]).toolCalls[0]?.text ?? "")
        .filter((piece) => piece !== "");
      expect(pieces.length > 1).toBe(form.streamsArguments);
    });

    test("loses the stream after the scripted number of chunks", async () => {
      await play([
        {
          parts: [{ type: "text", text: "abcdef" }],
          chunkLength: 2,
          trouble: { kind: "cut", afterChunks: 2 },
        },
      ]);
      const { wire, broken } = await hearBroken();
      expect(broken).toBe(true);
      expect(form.hear(form.events(wire)).text).toBe("abcd");
      expect(await server.requests[0]?.ended).toBe("cut");
    });

    test("loses the end of the reply if the cut names no chunk", async () => {
      await play([{ parts: [{ type: "text", text: "abcdef" }], trouble: { kind: "cut" } }]);
      const { wire, broken } = await hearBroken();
      expect(broken).toBe(true);
      const heard = form.hear(form.events(wire));
      expect(heard.text).toBe("abcdef");
      expect(heard.stop).toBe("");
    });

    test("waits on a stream that hangs, until it disconnects", async () => {
      await play([
        {
          parts: [{ type: "text", text: "abcdef" }],
          chunkLength: 2,
          trouble: { kind: "hang", afterChunks: 1 },
        },
      ]);
      const leaving = new AbortController();
      const response = await send({}, leaving.signal);
      const reader = response.body?.getReader();
      let wire = "";
      while (!wire.includes("ab")) wire += new TextDecoder().decode((await reader?.read())?.value);
      const silence = await Promise.race([reader?.read(), wait(50, "silence")]);
      expect(silence).toBe("silence");
      leaving.abort();
      expect(await server.requests[0]?.ended).toBe("client-gone");
    });

    test("receives one chunk that is not JSON, and the rest after it", async () => {
      await play([
        {
          parts: [{ type: "text", text: "abcdef" }],
          chunkLength: 2,
          trouble: { kind: "malformed", afterChunks: 1 },
        },
      ]);
      const wire = await (await send()).text();
      expect(() => form.events(wire)).toThrow(SyntaxError);
      const sound = wire
        .split(/(?<=\n)/)
        .filter((line) => isSound(line))
        .join("");
      expect(form.hear(form.events(sound))).toMatchObject({
        text: "abcdef",
        stop: form.words.stop,
      });
    });

    test("receives an error inside the stream in the provider's own form", async () => {
      await play([
        {
          parts: [{ type: "text", text: "abcdef" }],
          chunkLength: 2,
          trouble: { kind: "stream-error", afterChunks: 1, message: "Too busy" },
        },
      ]);
      const events = form.events(await (await send()).text());
      const heard = form.hear(events);
      expect(heard.text).toBe("ab");
      expect(events.map((event) => form.errorOf(event)).filter((one) => one !== "")).toContain(
        "Too busy",
      );
    });

    test("without a stream, the fault is inside the body", async () => {
      const parts = [{ type: "text", text: "abcdef" }] as const;
      await play([
        { parts, trouble: { kind: "malformed" } },
        { parts, trouble: { kind: "cut", afterChunks: 1 } },
        { parts, trouble: { kind: "stream-error", status: 503, message: "Too busy" } },
      ]);
      const half = await (await send({ stream: false })).text();
      expect(() => JSON.parse(half) as unknown).toThrow(SyntaxError);
      const cut = await send({ stream: false });
      await expect(cut.text()).rejects.toThrow("terminated");
      const failed = await send({ stream: false });
      expect(failed.status).toBe(503);
      expect(form.errorOf((await failed.json()) as JsonObject)).toBe("Too busy");
    });

    test("is refused in the provider's own form if its body can't be read", async () => {
      await play(["kept for a request that can be read"]);
      for (const body of ["{not json", "[]", "{}"]) {
        const response = await fetch(server.url + form.path(true), { method: "POST", body });
        expect(response.status).toBe(400);
        expect(form.errorOf((await response.json()) as JsonObject)).not.toBe("");
      }
      const garbage = await fetch(server.url + form.path(true), { method: "POST", body: "{" });
      expect(await garbage.text()).toContain("The body is not a JSON object.");
      expect(server.requests).toHaveLength(0);
      expect((await hear(true)).text).toBe("kept for a request that can be read");
    });

    test("is recorded unchanged, and converted to a provider-independent form", async () => {
      await play(["Hi"]);
      await (await send({ text: "What is this?" })).text();
      const [request] = server.requests;
      expect(request).toMatchObject({
        number: 1,
        provider: form.name,
        path: form.path(true),
        model: "scripted-model",
        stream: true,
        system: "Be brief.",
        userText: "What is this?",
        toolResults: [],
        messages: [{ role: "user", text: "What is this?" }],
      });
      expect(request?.headers["x-test-key"]).toBe("secret-key");
      expect(request?.body).toEqual(form.body({ stream: true, text: "What is this?" }));
      expect(request?.tools).toEqual([
        { name: toolName, description: "Reads a file.", schema: toolSchema },
      ]);
      expect(await request?.ended).toBe("answered");
    });
  });
}

/** The content of the requests, the same for all providers. */
export const toolSchema = { type: "object", properties: { path: { type: "string" } } };
export const askedTool = { name: toolName, description: "Reads a file." };
export const askedArguments = toolArguments;

function isSound(line: string): boolean {
  const json = line.replace(/^data: /, "").trim();
  if (!json.startsWith("{")) return true;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
