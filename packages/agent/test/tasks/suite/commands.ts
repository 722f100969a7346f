import { expect } from "vitest";
import { lives, until } from "../../../../system/test/live-processes.ts";
import { calls, results, type Task } from "../task.ts";

const median = `export function median(numbers) {
  const sorted = numbers.toSorted();
  return sorted[Math.floor(sorted.length / 2)];
}
`;
const medianTest = `import assert from "node:assert";
import { test } from "node:test";
import { median } from "./median.js";

test("numbers are sorted as numbers", () => assert.equal(median([10, 9, 2]), 9));
`;

export const failingTest: Task = {
  name: "a test is run, fails, and is made to pass",
  files: {
    "package.json": '{ "type": "module", "scripts": { "test": "node --test" } }\n',
    "median.js": median,
    "median.test.js": medianTest,
  },
  async act(user) {
    await user.prompt(
      "Run the tests with `node --test`, find out why they fail, correct the code and run them again. Leave the tests alone.",
    );
  },
  async outcome({ repository }) {
    expect(await repository.node("--test")).toMatchObject({ code: 0 });
    expect(await repository.changed()).toEqual(["median.js"]);
  },
  script: {
    lines: [
      calls(["bash", { command: "node --test", description: "Run the tests" }]),
      calls(["read", { filePath: "median.js" }], ["read", { filePath: "median.test.js" }]),
      calls([
        "edit",
        {
          filePath: "median.js",
          oldString: "numbers.toSorted()",
          newString: "numbers.toSorted((a, b) => a - b)",
        },
      ]),
      calls(["bash", { command: "node --test", description: "Run the tests again" }]),
      "The tests pass now.",
    ],
    transcript({ user, requests }) {
      expect(user.shown.calls.map(({ name }) => name)).toEqual([
        "bash",
        "read",
        "read",
        "edit",
        "bash",
      ]);
      expect(user.shown.calls[0]?.title).toContain("node --test");
      expect(results(requests[1]!)).toMatch(/numbers are sorted as numbers/);
      expect(results(requests[1]!)).toMatch(/exit(?:ed)?\D{0,20}1\b/i);
      expect(results(requests[4]!)).toMatch(/pass 1/);
      expect(user.shown.calls.at(-1)?.status).toBe("completed");
      expect(user.asks.map(({ toolCall }) => toolCall.kind)).toEqual([
        "execute",
        "edit",
        "execute",
      ]);
    },
  },
};

const NEEDLE = "ERROR worker 17 lost its lease";

export const longOutput: Task = {
  name: "an output that is too long is cut, and the rest is searched",
  files: {
    "log.js": `for (let line = 1; line <= 6000; line += 1)
  console.log(line === 4711 ? "${NEEDLE}" : \`info line \${line} is of no interest to anybody\`);
`,
  },
  async act(user) {
    await user.prompt(
      "Run `node log.js`. One line of its output starts with ERROR: write that line, and nothing else, to ANSWER.txt.",
    );
  },
  async outcome({ repository }) {
    expect((await repository.read("ANSWER.txt")).trim()).toBe(NEEDLE);
  },
  script: {
    lines: [
      calls(["bash", { command: "node log.js", description: "Print the log" }]),
      (request) => {
        const file = /All of it is in (\S+):/.exec(results(request))?.[1] ?? "not told";
        return calls(["grep", { pattern: "^ERROR", path: file }]);
      },
      (request) => {
        const line = /ERROR.*/.exec(results(request))?.[0] ?? "not found";
        return calls(["write", { filePath: "ANSWER.txt", content: `${line}\n` }]);
      },
      "It is in ANSWER.txt.",
    ],
    transcript({ user, requests }) {
      expect(results(requests[1]!)).not.toContain(NEEDLE);
      expect(results(requests[1]!).length).toBeLessThan(60_000);
      expect(results(requests[2]!)).toContain(NEEDLE);
      expect(user.shown.outline).toEqual(["bash completed", "grep completed", "write completed"]);
      // The agent's own copy of an output needs no permission.
      expect(user.asks.map(({ toolCall }) => toolCall.kind)).toEqual(["execute", "edit"]);
    },
  },
};

const WAIT = "echo pid $$; sleep 600; echo unreachable";

export const cancelledCommand: Task = {
  name: "a cancelled command ends with its child processes, and the next prompt is answered",
  files: { "README.md": "Nothing here.\n" },
  // In a sandbox `$$` is a pid that is not valid outside.
  config: { sandbox: false },
  async act(user) {
    const ended = user.prompt(`Run exactly this command: ${WAIT}`);
    const pid = await user.shown.until((shown) => {
      const found = shown.calls.flatMap((call) => /pid (\d+)/.exec(shown.textOf(call)) ?? []);
      return found[1] === undefined ? undefined : Number(found[1]);
    });
    user.cancel();
    await ended;
    await until(() => !lives(pid));
    await user.prompt("Never mind. Just say hello.");
  },
  async outcome({ user }) {
    expect(user.stops).toEqual(["cancelled", "end_turn"]);
    const [command] = user.shown.calls;
    expect(command?.status).toBe("failed");
    expect(JSON.stringify(command?.content)).not.toMatch(/\\nunreachable/);
  },
  script: {
    lines: [calls(["bash", { command: WAIT, description: "Wait" }]), "Hello."],
    transcript({ user, requests }) {
      expect(user.shown.outline).toEqual(["bash failed"]);
      expect(user.shown.said).toBe("Hello.");
      // The call was ended; otherwise the provider would refuse the history.
      expect(requests[1]?.messages.flatMap(({ toolResults }) => toolResults)).toHaveLength(1);
    },
  },
};
