import { expect, test } from "vitest";
import { runTask } from "../tasks/run-task.ts";
import { calls, results, type Task } from "../tasks/task.ts";

const config = {
  formatter: { shout: { command: [process.execPath, "shout.mjs", "$FILE"], extensions: [".txt"] } },
  linter: { judge: { command: [process.execPath, "judge.mjs"], extensions: [".txt"] } },
};

/** Section 6.3 of seed 001: rules, commands, tools, formatters and linters of a project, over ACP. */
const projectOfOnesOwn: Task = {
  name: "a project of one's own",
  files: {
    "AGENTS.md": "Greetings are kept in greeting.txt.\n",
    "landline.jsonc": JSON.stringify(config),
    "shout.mjs": `import { readFileSync, writeFileSync } from "node:fs";
const [, , file] = process.argv;
writeFileSync(file, readFileSync(file, "utf8").toUpperCase());
`,
    "judge.mjs": `console.log("too loud");\nprocess.exitCode = 1;\n`,
    ".landline/commands/greet.md":
      "Look up $1 with the tool lookup, and greet them by their title.\n",
    ".landline/tools/lookup.ts": `export const description: string = "Finds somebody's title";
export const input = { type: "object", properties: { name: { type: "string" } } };
export const run = ({ name }: { name: string }): string => \`Lady \${name}\`;
`,
  },
  async act(user) {
    await user.prompt("/trust yes");
    await user.prompt("/greet Ada");
  },
  async outcome({ repository }) {
    expect(await repository.read("greeting.txt")).toBe("HELLO, LADY ADA\n");
  },
  script: {
    lines: [
      calls(["lookup", { name: "Ada" }]),
      calls(["write", { filePath: "greeting.txt", content: "Hello, Lady Ada\n" }]),
      "She is greeted.",
    ],
    transcript({ user, requests }) {
      expect(requests[0]?.system).toContain("Greetings are kept in greeting.txt.");
      expect(requests[0]?.userText).toContain("Look up Ada with the tool lookup");
      expect(results(requests[1]!)).toContain("Lady Ada");
      expect(results(requests[2]!)).toContain("too loud");
      expect(user.asks.map(({ toolCall }) => toolCall.name)).toEqual(["lookup", "write"]);
    },
  },
};

test("the features of a project apply once it is trusted", async () => {
  expect(await runTask(projectOfOnesOwn)).toEqual([]);
});
