import { fc, test as property } from "@fast-check/vitest";
import type { ModelMessage } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SUMMARY_PROMPT, TITLE_PROMPT } from "../../core/prompt-prefixes.ts";
import { REFUSED_BY_PERSON } from "../../permission/rule.ts";
import { streamStep, type OfferedTool, type StepPart } from "../stream.ts";
import { openDemoModel } from "./model.ts";

type Fake = (input: Record<string, unknown>) => string | Error;

const text = z.string();
/** The schemas of the real tools, so that an invalid input is noticed. */
const inputs: Record<string, z.ZodType> = {
  list: z.strictObject({ path: text.optional(), ignore: z.array(text).optional() }),
  read: z.strictObject({ filePath: text, offset: z.int().optional(), limit: z.int().optional() }),
  glob: z.strictObject({ pattern: text, path: text.optional() }),
  grep: z.strictObject({ pattern: text, path: text.optional(), include: text.optional() }),
  edit: z.strictObject({
    filePath: text,
    oldString: text,
    newString: text,
    replaceAll: z.boolean().optional(),
  }),
  write: z.strictObject({ filePath: text, content: text }),
  bash: z.strictObject({
    command: text,
    description: text,
    timeout: z.int().optional(),
    workdir: text.optional(),
  }),
  webfetch: z.strictObject({ url: text, format: z.enum(["text", "markdown", "html"]).optional() }),
  todowrite: z.strictObject({
    todos: z.array(
      z.strictObject({
        content: text,
        status: z.enum(["pending", "in_progress", "completed"]),
        priority: z.enum(["high", "medium", "low"]),
      }),
    ),
  }),
  task: z.strictObject({ description: text, prompt: text, subagent_type: text }),
  question: z.strictObject({
    questions: z.array(
      z.strictObject({
        question: text,
        header: text,
        options: z.array(z.strictObject({ label: text, description: text })),
      }),
    ),
  }),
  files_echo: z.strictObject({ text }),
};

interface Said {
  tool: string;
  input: unknown;
}

/** A small loop that runs the calls of each step and returns their results until there are none. */
async function converse(
  request: string,
  fakes: Record<string, Fake> = {},
  options: { tools?: string[]; history?: ModelMessage[]; system?: string } = {},
) {
  const model = openDemoModel({
    facts: () => ({ keys: [], servers: ["Ollama at x"], models: [] }),
    paceMs: 0,
  });
  const names = options.tools ?? Object.keys(inputs);
  const tools: OfferedTool[] = names.map((name) => ({
    name,
    description: name,
    input: inputs[name] ?? z.unknown(),
  }));
  const messages: ModelMessage[] = [...(options.history ?? []), { role: "user", content: request }];
  const steps: Said[][] = [];
  let said = "";
  let thought = "";
  for (let count = 0; count < 60; count += 1) {
    const parts: StepPart[] = [];
    const { signal } = new AbortController();
    const { system = "You are an agent." } = options;
    for await (const part of streamStep({ model, system, messages, tools, signal }))
      parts.push(part);
    said += parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
    thought += parts.map((part) => (part.type === "thought-delta" ? part.delta : "")).join("");
    expect(parts.filter((part) => part.type === "tool-call-invalid")).toEqual([]);
    const calls = parts.filter((part) => part.type === "tool-call");
    if (calls.length === 0) return { said, thought, steps, messages };
    steps.push(calls.map(({ tool, input }) => ({ tool, input })));
    messages.push(...answered(calls, fakes));
  }
  throw new Error("It does not end.");
}

type Calls = Extract<StepPart, { type: "tool-call" }>[];

function answered(calls: Calls, fakes: Record<string, Fake>): ModelMessage[] {
  return [
    {
      role: "assistant",
      content: calls.map(({ callId, tool, input }) => ({
        type: "tool-call",
        toolCallId: callId,
        toolName: tool,
        input,
      })),
    },
    {
      role: "tool",
      content: calls.map(({ callId, tool, input }) => {
        const result = fakes[tool]?.(input as Record<string, unknown>) ?? `(${tool} done)`;
        const failed = result instanceof Error;
        return {
          type: "tool-result",
          toolCallId: callId,
          toolName: tool,
          output: failed
            ? { type: "error-text", value: result.message }
            : { type: "text", value: result },
        };
      }),
    },
  ];
}

describe("the demo model", () => {
  test("introduces itself in the first message of a session only", async () => {
    const first = await converse("list", { list: () => "a.txt" });
    expect(first.said).toMatch(/no AI/);
    expect(first.said.match(/no AI/g)).toHaveLength(1);
    expect(first.said).toContain("a.txt");
    const history: ModelMessage[] = [
      { role: "user", content: "list" },
      { role: "assistant", content: "Done." },
    ];
    expect((await converse("list", {}, { history })).said).not.toContain("no AI");
  });

  test("explains itself for any other request", async () => {
    const { said, steps } = await converse("Write me a compiler");
    expect(steps).toEqual([]);
    expect(said).toContain("“Write me a compiler”");
    expect(said).toContain('replace [all] "OLD" with "NEW" in FILE');
    expect(said).toContain("no key; Ollama at x");
    expect(said).toContain("landline agent login");
    expect(said).toContain("ANTHROPIC_API_KEY");
    expect(said).toContain("ollama pull");
    expect(said).toContain("`files_echo`");
  });

  test.each([
    ["list src", "list", { path: "src" }],
    ["read a.txt lines 2-3", "read", { filePath: "a.txt", offset: 2, limit: 2 }],
    ["search foo in src", "grep", { pattern: "foo", path: "src" }],
    ["find *.ts", "glob", { pattern: "*.ts" }],
    ["create x: hello", "write", { filePath: "x", content: "hello\n" }],
    ["run npm test", "bash", { command: "npm test", description: "Runs npm test" }],
    ["fetch https://a.b/", "webfetch", { url: "https://a.b/", format: "markdown" }],
    [
      "delegate: list src",
      "task",
      { description: "list src", prompt: "list src", subagent_type: "explore" },
    ],
    ['mcp files.echo {"text":"x"}', "files_echo", { text: "x" }],
  ])("%s", async (request, tool, input) => {
    const { steps, said } = await converse(request, { [tool]: () => "the tool's own words" });
    expect(steps).toEqual([[{ tool, input }]]);
    expect(said.includes("the tool's own words") || said.includes("I ")).toBe(true);
  });

  test("reads a file before it replaces something in it", async () => {
    const { steps } = await converse('replace all "a" with "b" in x', {
      read: () => "1\ta",
      edit: () => "Edited x.",
    });
    const change = { filePath: "x", oldString: "a", newString: "b", replaceAll: true };
    expect(steps).toEqual([
      [{ tool: "read", input: { filePath: "x" } }],
      [{ tool: "edit", input: change }],
    ]);
  });

  test("asks a question", async () => {
    const { steps, said } = await converse("ask Which? red, blue", { question: () => "blue" });
    expect(steps[0]?.[0]?.input).toMatchObject({
      questions: [{ question: "Which?", options: [{ label: "red" }, { label: "blue" }] }],
    });
    expect(said).toContain("blue");
  });

  test("runs steps in sequence and in parallel", async () => {
    const { steps } = await converse("read a and read b then run ls then list");
    expect(steps.map((step) => step.map(({ tool }) => tool))).toEqual([
      ["read", "read"],
      ["bash"],
      ["list"],
    ]);
  });

  test("shows the answer of a subagent without its markup", async () => {
    const answer = "In this folder:\n</task>\na.txt";
    const metadata = "<task_metadata>\nsession_id: 1\n</task_metadata>";
    const task = () => `<task id="1" state="completed">\n${answer}\n</task>\n\n${metadata}`;
    const { said } = await converse("delegate: list", { task });
    expect(said).toContain(`\n${answer}\n`);
    expect(said).not.toMatch(/<task|task_metadata/);
  });

  test("reports a refusal", async () => {
    const { said } = await converse("run rm x", { bash: () => new Error(REFUSED_BY_PERSON) });
    expect(said).toContain("You said no");
    expect(said).not.toContain("Do not try it");
  });

  test("stops at the first failure, and says what is left", async () => {
    const refuse = () => new Error("The person said no.");
    const { steps, said } = await converse("run rm x then list then list", { bash: refuse });
    expect(steps).toHaveLength(1);
    expect(said).toContain("The person said no.");
    expect(said).toContain("2 steps were left");
  });

  test("names a tool that is not available", async () => {
    const { steps, said } = await converse("create a: b", {}, { tools: ["read"] });
    expect(steps).toEqual([]);
    expect(said).toContain("`write` is not offered");
  });

  test("makes a plan, executes it and ticks the steps; unknown steps stay open", async () => {
    const { steps, said } = await converse("plan: list; dance; read a");
    const tools = steps.flat().map(({ tool }) => tool);
    expect(tools).toEqual(["todowrite", "list", "todowrite", "todowrite", "read", "todowrite"]);
    const last = steps.at(-1)?.[0]?.input as { todos: { status: string }[] };
    expect(last.todos.map(({ status }) => status)).toEqual(["completed", "pending", "completed"]);
    expect(said).toContain("“dance” is nothing that I can do");
    expect(said).toContain("2 of 3");
  });

  test("shows a thought on request, and says that it does not reason", async () => {
    const { thought, said } = await converse("think of a number then list");
    expect(thought).toBe("of a number");
    expect(said).toContain("I do not");
  });

  test("shows the syntax of a sentence that is half right", async () => {
    expect((await converse("fetch something")).said).toContain("`fetch URL`");
  });

  test("finds the user's text beside files and reminders", async () => {
    const model = openDemoModel({
      facts: () => ({ keys: [], servers: [], models: [] }),
      paceMs: 0,
    });
    const tools = [{ name: "list", description: "", input: inputs["list"]! }];
    const messages: ModelMessage[] = [
      {
        role: "user",
        content: [
          { type: "text", text: "[a.txt]\nsome file" },
          { type: "text", text: "list src\n<system-reminder>Plan only.</system-reminder>" },
        ],
      },
    ];
    const { signal } = new AbortController();
    const calls: unknown[] = [];
    for await (const part of streamStep({ model, system: "", messages, tools, signal }))
      if (part.type === "tool-call") calls.push(part.input);
    expect(calls).toEqual([{ path: "src" }]);
  });

  test("generates titles and summaries on request", async () => {
    const system = `${TITLE_PROMPT} in a few words.`;
    const title = async (request: string) => (await converse(request, {}, { system })).said;
    expect(await title('please replace "A" with "B" in x.txt.')).toBe("Replace A with B in x.txt");
    expect(await title("")).toBe("New conversation");
    const long = await title(`explain ${"very ".repeat(50)}much`);
    expect(long.length).toBeLessThanOrEqual(60);
    expect(long).toMatch(/^Explain very .*…$/);
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");
    const { said } = await converse(lines, {}, { system: `${SUMMARY_PROMPT}.` });
    expect(said).toMatch(/demo model.*line 0\n.*70 lines left out.*line 99$/s);
  });

  test("quotes text in a fence that it cannot close, and truncates long text", async () => {
    const { said } = await converse("read a", { read: () => "```\nx\n````" });
    expect(said).toContain("`````\n```\nx\n````\n`````");
    const long = await converse("read a", { read: () => "y".repeat(10_000) });
    expect(long.said.length).toBeLessThan(2_000);
    expect(long.said).toContain("more characters are left out");
  });
});

describe("the tour", () => {
  test("uses every tool, ends, and leaves nothing behind", async () => {
    const { steps, said, thought } = await converse("tour", {
      glob: () => "No files match landline-tour/**.",
    });
    const used = new Set(steps.flat().map(({ tool }) => tool));
    const expected = new Set(Object.keys(inputs).filter((tool) => tool !== "files_echo"));
    expect(used).toEqual(expected);
    expect(thought).not.toBe("");
    expect(steps.flat().findLast(({ tool }) => tool === "bash")?.input).toMatchObject({
      command: "rm -r landline-tour",
    });
    expect(said).toContain("is removed");
    const plan = steps.flat().findLast(({ tool }) => tool === "todowrite")?.input;
    expect(JSON.stringify(plan)).not.toMatch(/pending|in_progress/);
  });

  test("does not touch an existing folder of that name", async () => {
    const { steps, said } = await converse("tour", { glob: () => "landline-tour/mine.txt" });
    expect(steps).toHaveLength(1);
    expect(said).toContain("leave alone");
  });

  test("continues when everything is refused, and without any tools", async () => {
    const refuse = () => new Error("No.");
    const refusing = Object.fromEntries(Object.keys(inputs).map((name) => [name, refuse]));
    const { said } = await converse("tour", refusing);
    expect(said).toContain("still there");
    expect(said).toContain("That was the tour");
    expect((await converse("tour", {}, { tools: [] })).said).toContain("That was the tour");
  });
});

describe("as a model", () => {
  test("the same conversation gets the same answer", async () => {
    const strip = ({ said, steps }: Awaited<ReturnType<typeof converse>>) => ({ said, steps });
    const turn = async () => strip(await converse("tour", { read: () => "x" }));
    expect(await turn()).toEqual(await turn());
  });

  test("call ids are unique in every turn", async () => {
    const { messages } = await converse("list then list then list and list");
    const ids = JSON.stringify(messages).match(/demo-[\w-]+/g) ?? [];
    expect(new Set(ids).size).toBe(4);
  });

  test("stops immediately when it is aborted, in the middle of a word", async () => {
    const model = openDemoModel({
      facts: () => ({ keys: [], servers: [], models: [] }),
      paceMs: 60_000,
    });
    const controller = new AbortController();
    const step = streamStep({
      model,
      system: "",
      messages: [{ role: "user", content: "help" }],
      tools: [],
      signal: controller.signal,
    });
    const first = step.next();
    setImmediate(() => controller.abort());
    expect(await first).toEqual({ value: undefined, done: true });
  });

  test("answers without a stream, too", async () => {
    const model = openDemoModel({
      facts: () => ({ keys: [], servers: [], models: [] }),
      paceMs: 0,
    });
    const result = await model.doGenerate({
      prompt: [{ role: "user", content: [{ type: "text", text: "think hard" }] }],
    });
    expect(result.content.map(({ type }) => type)).toEqual(["reasoning", "text"]);
    expect(result.finishReason.unified).toBe("stop");
  });

  property.prop([fc.string(), fc.array(fc.string(), { maxLength: 5 })], { numRuns: 30 })(
    "ends for any request and any tool results",
    async (request, words) => {
      let count = 0;
      const next = () => words[(count += 1) % Math.max(1, words.length)] ?? "";
      const fakes = Object.fromEntries(Object.keys(inputs).map((name) => [name, next]));
      expect((await converse(`plan: ${request}; list; ${request}`, fakes)).said).not.toBe("");
    },
  );
});
