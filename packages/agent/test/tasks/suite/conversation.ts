import { expect } from "vitest";
import { calls, results, type Task } from "../task.ts";

const overloaded = {
  trouble: { kind: "http-error", status: 503, message: "Too busy", retryAfterSeconds: 0 },
} as const;

export const failingProvider: Task = {
  name: "a provider that fails twice is retried",
  files: { "README.md": "# Tools\n" },
  async act(user) {
    await user.prompt("Create a file VERSION with the text 1.0.0 in it.");
  },
  async outcome({ user, repository }) {
    expect(user.stops).toEqual(["end_turn"]);
    expect((await repository.read("VERSION")).trim()).toBe("1.0.0");
  },
  script: {
    lines: [
      overloaded,
      overloaded,
      calls(["write", { filePath: "VERSION", content: "1.0.0\n" }]),
      "Done.",
    ],
    transcript({ user, requests }) {
      expect(user.shown.outline).toEqual(["write completed"]);
      expect(user.shown.said.match(/trying again/g)).toHaveLength(2);
      expect(user.shown.said).toContain("Too busy");
      expect(requests[2]?.messages).toEqual(requests[0]?.messages);
    },
  },
};

const SUMMARY = "Aim: count the lines of three files. Done: a.txt has 700.";
const FULL = { inputTokens: 27_000, outputTokens: 100 };
const lines = (count: number, word: string) => `${word}\n`.repeat(count);

export const compactedTurn: Task = {
  name: "a turn that exceeds the context is summarised and continues",
  files: {
    "a.txt": lines(700, "an apple orchard in the autumn sun, seen from the hills"),
    "b.txt": lines(150, "bread from the old bakery"),
    "c.txt": lines(50, "clouds over the harbour"),
  },
  async act(user) {
    await user.prompt(
      "Read a.txt, b.txt and c.txt one after the other with the read tool, and write to COUNT.txt how many lines they have together: only the number.",
    );
  },
  async outcome({ repository }) {
    expect((await repository.read("COUNT.txt")).trim()).toBe("900");
  },
  script: {
    contextTokens: 30_000,
    summary: SUMMARY,
    lines: [
      calls(["read", { filePath: "a.txt" }]),
      { ...calls(["read", { filePath: "b.txt" }]), usage: FULL },
      calls(["read", { filePath: "c.txt" }]),
      calls(["write", { filePath: "COUNT.txt", content: "900\n" }]),
      "Nine hundred.",
    ],
    transcript({ user, requests }) {
      const read = (index: number) => JSON.stringify(requests[index]?.messages);
      expect(read(1)).toContain("apple orchard");
      expect(read(1)).not.toContain(SUMMARY);
      // The answer was measured as too long, so earlier messages are summarised from here on.
      expect(read(2)).toContain(SUMMARY);
      expect(read(2)).not.toContain("apple orchard");
      expect(read(4)).toContain(SUMMARY);
      expect(user.shown.said).toContain("summarising");
      expect(user.shown.outline).toEqual([
        "read completed",
        "read completed",
        "read completed",
        "write completed",
      ]);
    },
  },
};

export const subagentSearch: Task = {
  name: "a subagent searches, and its result is used",
  files: {
    "src/billing/invoice.js": "export const invoice = () => ({ due: 30 });\n",
    "src/mail/retry.js": "export const RETRY_LIMIT = 7;\n",
    "src/index.js": 'export * from "./billing/invoice.js";\n',
  },
  async act(user) {
    await user.prompt(
      "Have the explore helper (the task tool) find out in which file RETRY_LIMIT is defined. Then write that path, relative to the project, to WHERE.txt.",
    );
  },
  async outcome({ repository }) {
    expect((await repository.read("WHERE.txt")).trim()).toMatch(/^(?:\.\/)?src\/mail\/retry\.js$/);
    expect(await repository.changed()).toEqual(["WHERE.txt"]);
  },
  script: {
    lines: [
      calls([
        "task",
        {
          description: "Find RETRY_LIMIT",
          prompt: "In which file is RETRY_LIMIT defined? Answer with its path.",
          subagent_type: "explore",
        },
      ]),
      calls(["grep", { pattern: "RETRY_LIMIT" }]),
      "It is defined in src/mail/retry.js.",
      calls(["write", { filePath: "WHERE.txt", content: "src/mail/retry.js\n" }]),
      "It is in src/mail/retry.js.",
    ],
    transcript({ user, requests }) {
      expect(user.shown.outline).toEqual(["task completed", "write completed"]);
      const [task] = user.shown.calls;
      expect(task?.kind).toBe("think");
      expect(task?.rawInput).toMatchObject({ subagent_type: "explore" });
      expect(task?.rawOutput).toMatchObject({
        metadata: { sessionId: expect.any(String) as string, summary: [{ tool: "grep" }] },
      });
      // The subagent has its own conversation and no tools that change files.
      expect(requests[1]?.userText).toContain("In which file is RETRY_LIMIT defined?");
      expect(requests[1]?.tools.map(({ name }) => name)).not.toContain("task");
      expect(results(requests[2]!)).toContain("src/mail/retry.js");
      expect(results(requests[3]!)).toMatch(/<task id="[^"]+" state="completed">/);
      expect(results(requests[3]!)).toContain("session_id: ");
      expect(user.asks).toHaveLength(1);
    },
  },
};
