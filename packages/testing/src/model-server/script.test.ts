import { describe, expect, test } from "vitest";
import type { Reply } from "./reply.ts";
import type { ModelRequest } from "./request.ts";
import { ScriptReader, type When } from "./script.ts";

function request(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    number: 1,
    provider: "anthropic",
    path: "/v1/messages",
    headers: {},
    body: {},
    model: "big-model",
    stream: true,
    system: "You write titles.",
    messages: [],
    tools: [{ name: "read", description: "", schema: {} }],
    toolResults: [],
    userText: "Please read it",
    ended: Promise.resolve("answered"),
    ...fields,
  };
}

const said = (reply: Reply | null) =>
  reply?.parts?.map((part) => ("text" in part ? part.text : part.name)).join("") ?? null;

const result = { id: "1", name: "read", text: "file not found", isError: false };

describe("a script", () => {
  test("is used in order, and is exhausted by the request after its last reply", async () => {
    const reader = new ScriptReader(["one", "two"]);
    expect(said(await reader.next(request()))).toBe("one");
    expect(said(await reader.next(request()))).toBe("two");
    expect(reader.exhausted).toBe(false);
    expect(await reader.next(request())).toBeNull();
    expect(reader.exhausted).toBe(true);
  });

  test("returns the first matching reply that is not used up", async () => {
    const text = (one: string) => [{ type: "text", text: one }] as const;
    const reader = new ScriptReader([
      { when: { system: "titles" }, times: 2, parts: text("A title") },
      { when: { toolResult: true }, times: "always", parts: text("I see") },
      "Hello",
    ]);
    const plain = request({ system: "" });
    const answered = request({ system: "", toolResults: [result] });
    const heard = [];
    for (const one of [plain, request(), answered, request(), answered])
      heard.push(said(await reader.next(one)));
    expect(heard).toEqual(["Hello", "A title", "I see", "A title", "I see"]);
    expect(await reader.next(plain)).toBeNull();
    expect(reader.explain(plain)).toContain("fits none of the 1 replies that are left of 3");
  });

  test.each<[When, boolean]>([
    [{}, true],
    [{ userText: "read" }, true],
    [{ userText: "write" }, false],
    [{ system: "titles" }, true],
    [{ system: "code" }, false],
    [{ toolResult: true }, true],
    [{ toolResult: false }, false],
    [{ toolResult: "not found" }, true],
    [{ toolResult: "found it" }, false],
    [{ tool: "read" }, true],
    [{ tool: "rea" }, false],
    [{ model: "big-model" }, true],
    [{ model: "big" }, false],
    [{ provider: "anthropic" }, true],
    [{ provider: "gemini" }, false],
    [{ stream: true }, true],
    [{ stream: false }, false],
    [{ userText: "read", model: "big-model" }, true],
    [{ userText: "read", model: "small-model" }, false],
  ])("is matched by %j: %s", async (when, fits) => {
    const reader = new ScriptReader([{ when }]);
    const reply = await reader.next(request({ toolResults: [result] }));
    expect(reply !== null).toBe(fits);
  });

  test("may be a function, which is never exhausted", async () => {
    const reader = new ScriptReader(async ({ userText }) => `You said: ${userText}`);
    expect(said(await reader.next(request()))).toBe("You said: Please read it");
    expect(said(await reader.next(request({ userText: "x" })))).toBe("You said: x");
    expect(reader.exhausted).toBe(false);
  });
});
