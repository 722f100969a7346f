import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TestGateway, Writes, type LoggedSession } from "./test-gateway.ts";

let test: TestGateway;
let session: LoggedSession;

beforeAll(async () => {
  test = await TestGateway.start();
});
beforeEach(async () => {
  session = await test.recorded({ title: "<script>alert(1)</script> *bold*" });
});
afterAll(() => test[Symbol.asyncDispose]());

const update = (fields: object) =>
  session.append({ kind: "update", update: fields as Readonly<Record<string, unknown>> });

function converse(): void {
  session.append(
    {
      kind: "prompt-queued",
      promptId: "p",
      content: [{ type: "text", text: "please <b>fix</b> it" }],
      by: "ann",
    },
    { kind: "turn-started", turnId: "t", promptId: "p" },
  );
  session.says("Looking. </div><img src=x onerror=alert(1)> & ```` done");
  update({
    sessionUpdate: "tool_call",
    toolCallId: "c1",
    title: 'Edit "a.ts"',
    kind: "edit",
    status: "completed",
    rawInput: { apiKey: "sk-live-0123456789abcdef0123", path: "/repo/a.ts" },
    content: [
      {
        type: "diff",
        path: "/repo/a.ts",
        oldText: "old",
        newText: "new </pre><script>x()</script>",
      },
      { type: "content", content: { type: "text", text: "```\ninner\n```` fence" } },
      { type: "content", content: { type: "image", mimeType: "image/png", data: "aGVsbG8=" } },
      { type: "content", content: { type: "image", mimeType: "image/svg+xml", data: "PHN2Zz4=" } },
      {
        type: "content",
        content: { type: "image", mimeType: "image/png", data: '"><script>y()</script>' },
      },
    ],
  });
  session.append(
    { kind: "turn-ended", turnId: "t", stopReason: "end_turn" },
    { kind: "error", code: "agent-exited", message: "It ended.", help: "Start again." },
  );
}

const get = (format: string) => test.ask(`/api/sessions/${session.id}/export?format=${format}`);

describe("as JSON", () => {
  it("has every event in order, without secrets", async () => {
    converse();
    const answer = await get("json");
    expect(answer.headers.get("content-disposition")).toBe(
      `attachment; filename="script-alert-1-script-bold-${session.id.slice(-8)}.json"`,
    );
    const text = await answer.text();
    const whole = JSON.parse(text) as { session: object; events: { seq: number }[] };
    expect(whole.session).toMatchObject({ sessionId: session.id, cwd: "/repo" });
    expect(whole.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(text).not.toContain("0123456789abcdef0123");
  });

  it("contains no answer to a hidden field of a form", async () => {
    const properties = {
      word: { type: "string", format: "password" },
      code: { type: "string", writeOnly: true },
      field: { type: "string", title: "Your password" },
      colour: { type: "string" },
    };
    for (const [askId, colour] of [
      ["q", "red"],
      ["r", "blue"],
    ] as const) {
      const content = { word: "sesame", code: "sesame", field: "sesame", colour };
      session.append(
        {
          kind: "ask-opened",
          askId,
          ask: "question",
          request: { mode: "form", message: "Who?", requestedSchema: { properties } } as never,
        },
        {
          kind: "ask-settled",
          askId,
          outcome: { action: "accept", content },
          by: { client: "ann" },
        },
      );
    }
    const text = await (await get("json")).text();
    const { events } = JSON.parse(text) as { events: { outcome?: object }[] };
    const hidden = { word: "[masked]", code: "[masked]", field: "[masked]" };
    expect(events.flatMap(({ outcome }) => outcome ?? [])).toEqual([
      { action: "accept", content: { ...hidden, colour: "red" } },
      { action: "accept", content: { ...hidden, colour: "blue" } },
    ]);
    for (const format of ["json", "markdown", "html"])
      expect(await (await get(format)).text()).not.toContain("sesame");
  });

  it("is the default for programs", async () => {
    const answer = await test.ask(`/api/sessions/${session.id}/export`);
    expect(answer.headers.get("content-type")).toBe("application/json");
  });

  it("of a long log is generated while it is sent", async () => {
    for (let count = 0; count < 5_000; count++) session.says("word ".repeat(100));
    const writes = new Writes(test);
    const whole = await (await get("json")).text();
    expect(writes.longest).toBeLessThan(200_000);
    expect(whole.length).toBeGreaterThan(20 * writes.longest);
    expect(whole.endsWith("]}\n")).toBe(true);
  });
});

describe("as Markdown", () => {
  it("reads like the conversation, and nothing ends a fence early", async () => {
    converse();
    const answer = await get("markdown");
    expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    const text = await answer.text();
    expect(text.split("\n")[0]).toBe(String.raw`# \<script\>alert(1)\</script\> \*bold\*`);
    expect(text).toContain("please <b>fix</b> it");
    expect(text).toContain("## Tool: Edit");
    expect(text).toContain("-old\n+new");
    expect(text).toContain("It ended.");
    expect(text).not.toContain("0123456789abcdef0123");
    expect(text).toContain("\n`````\n```\ninner\n```` fence\n`````\n");
    expect(text).toContain("_edit, done · ");
  });
});

describe("as HTML", () => {
  it("is one page in which all content is escaped", async () => {
    converse();
    const answer = await get("html");
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    const text = await answer.text();
    expect(text).not.toMatch(/<script/i);
    expect(text).not.toMatch(/<[^>]*\sonerror/i);
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(text).toContain("please &lt;b&gt;fix&lt;/b&gt; it");
    expect(text.match(/<img /g)).toHaveLength(1);
    expect(text).toContain('src="data:image/png;base64,aGVsbG8="');
    expect(text).not.toContain("0123456789abcdef0123");
    expect(text.trimEnd().endsWith("</html>")).toBe(true);
  });

  it("shows code in messages as code", async () => {
    session.says("Look:\n\n```ts\nif (a < b) c();\n```\n");
    expect(await (await get("html")).text()).toContain(
      '<div class="prose">Look:</div>\n<pre><code>if (a &lt; b) c();</code></pre>\n</section>',
    );
  });

  it("is the default for browsers", async () => {
    const answer = await test.ask(`/api/sessions/${session.id}/export`, {
      headers: { accept: "text/html,application/xhtml+xml" },
    });
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  });
});

describe("as anything else", () => {
  it("is refused", async () => {
    expect((await get("exe")).status).toBe(422);
  });
});

describe("anything that an agent may send", () => {
  it("is exported", async () => {
    for (const fields of [
      {},
      { sessionUpdate: "nobody_knows", x: [1] },
      { sessionUpdate: "tool_call", toolCallId: "x", content: [{ type: "odd" }, 7, null] },
      { sessionUpdate: "tool_call", toolCallId: "y", content: [{ type: "diff", path: "/a" }] },
      {
        sessionUpdate: "agent_message_chunk",
        content: { type: "resource", resource: { uri: "x:", blob: "" } },
      },
      { sessionUpdate: "agent_message_chunk", content: { type: "text" } },
      { sessionUpdate: "agent_message_chunk", content: { type: "image", data: 5 } },
      { sessionUpdate: "agent_message_chunk", content: { type: "image", data: "<b>" } },
      { sessionUpdate: "agent_message_chunk", content: { type: "resource", resource: null } },
      {
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: "x".repeat(300_000) },
      },
    ]) {
      update(fields);
    }
    expect(await exports()).toEqual([200, 200, 200]);
  });

  const odd = fc.oneof(
    fc.constantFrom(null, 7, "", "<b>", true),
    fc.array(fc.anything()),
    fc.object(),
  );
  const kinds = [
    "agent_message_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "notice",
    "subagent_update",
  ];
  const types = [
    "text",
    "image",
    "audio",
    "resource",
    "resource_link",
    "content",
    "diff",
    "terminal",
  ];
  const block = fc.record(
    {
      type: fc.constantFrom(...types),
      text: odd,
      data: odd,
      mimeType: odd,
      resource: odd,
      uri: odd,
      content: odd,
    },
    { requiredKeys: ["type"] },
  );
  const oddUpdate = fc.record(
    {
      sessionUpdate: fc.constantFrom(...kinds),
      toolCallId: fc.constantFrom("a", "b"),
      content: fc.oneof(block, fc.array(block), odd),
      title: odd,
      locations: fc.oneof(odd, fc.array(odd)),
      status: odd,
      rawInput: odd,
    },
    { requiredKeys: ["sessionUpdate"] },
  );

  it("is exported however its fields are mixed up", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(oddUpdate, { minLength: 1, maxLength: 5 }), async (updates) => {
        session = await test.recorded();
        for (const each of updates) update(JSON.parse(JSON.stringify(each)) as object);
        expect(await exports()).toEqual([200, 200, 200]);
      }),
      { numRuns: 100 },
    );
  });

  async function exports(): Promise<number[]> {
    const answers = await Promise.all(["json", "markdown", "html"].map(get));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(texts[0]).toContain('"events"');
    expect(texts[1]).toContain("# ");
    expect(texts[2]).toContain("</html>");
    expect(texts[2]).not.toContain("<b>");
    return answers.map(({ status }) => status);
  }
});
