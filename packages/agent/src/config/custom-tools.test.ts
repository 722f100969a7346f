import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { scratch, trustAll, type Scratch } from "../../test/config/config-fixture.ts";
import { toolContext } from "../../test/config/tool-context.ts";
import { lives } from "../../../system/test/live-processes.ts";
import { checkedExternalToolInput } from "./external-tool-input.ts";

async function toolOf(folder: Scratch, name: string) {
  const { customTools, config } = await folder.open();
  const tool = customTools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}: ${config.problems.join("\n")}`);
  return tool;
}

const greet = `
  type Input = { name: string };
  export const description: string = "Greets somebody";
  export const input = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  export async function run(input: Input, { cwd }: { cwd: string }) {
    console.log("working");
    return \`Hello \${input.name} from \${cwd}\`;
  }
`;

it("runs a TypeScript tool in its own process, after a permission request with its name", async () => {
  await using folder = await scratch({ ...trustAll, "project/.landline/tools/greet.ts": greet });
  const tool = await toolOf(folder, "greet");
  expect(tool).toMatchObject({ description: "Greets somebody", permission: "greet" });
  expect(z.toJSONSchema(tool.input)).toMatchObject({
    properties: { name: { type: "string" } },
    required: ["name"],
  });
  expect(tool.input.safeParse({}).success).toBe(false);
  const context = toolContext();
  await expect(tool.run({ name: "Ada" }, context)).resolves.toEqual({
    output: `Hello Ada from ${folder.project}`,
  });
  expect(context.asked).toEqual([{ permission: "greet", patterns: ["custom:run"], always: ["*"] }]);
  expect(context.shown.at(-1)?.content?.[0]).toMatchObject({
    content: { text: expect.stringContaining("working") },
  });
});

it("accepts a default export with a zod schema, and validates the input with it", async () => {
  const zodPath = JSON.stringify(import.meta.resolve("zod"));
  await using folder = await scratch({
    ...trustAll,
    "project/.landline/tools/sum.mjs": `
      import { z } from ${zodPath};
      export default {
        description: "Adds",
        input: z.object({ a: z.number(), b: z.number().default(2) }),
        run: ({ a, b }) => ({ output: String(a + b), title: "Sum" }),
      };`,
  });
  const tool = await toolOf(folder, "sum");
  expect(z.toJSONSchema(tool.input)).toMatchObject({
    properties: { a: { type: "number" } },
    required: ["a"],
  });
  await expect(tool.run({ a: 1 }, toolContext())).resolves.toEqual({ output: "3", title: "Sum" });
  await expect(tool.run({ a: "x" }, toolContext())).rejects.toThrow("the input does not fit: a:");
});

it("runs nothing of a project before the folder is trusted", async () => {
  const touch = `import { writeFileSync } from "node:fs"; writeFileSync("ran", ""); export const description = "x"; export const run = () => "";`;
  await using folder = await scratch({
    "project/.landline/tools/eager.js": touch,
    "project/package.json": { type: "module" },
  });
  const { customTools, untrustedConfig } = await folder.open();
  expect(customTools).toEqual([]);
  expect(untrustedConfig?.wants).toEqual([expect.stringContaining(`runs its own tool "eager"`)]);
  await expect(access(join(folder.project, "ran"))).rejects.toThrow("ENOENT");
  await untrustedConfig?.trust();
  expect((await folder.open()).customTools).toHaveLength(1);
  await access(join(folder.project, "ran"));
});

it("does not run a tool to describe it when a JSON file beside it does", async () => {
  await using folder = await scratch({
    ...trustAll,
    "project/.landline/tools/quiet.js": `import { writeFileSync } from "node:fs"; writeFileSync("ran", ""); export const description = "x"; export const run = () => "done";`,
    "project/.landline/tools/quiet.json": { description: "Quiet", input: { type: "object" } },
  });
  const tool = await toolOf(folder, "quiet");
  expect(tool.description).toBe("Quiet");
  await expect(access(join(folder.project, "ran"))).rejects.toThrow("ENOENT");
  await expect(tool.run({}, toolContext())).resolves.toEqual({ output: "done" });
});

it("reports invalid tools and keeps the others; the user's own need no trust", async () => {
  await using folder = await scratch({
    "home/.config/landline/tools/good.js": `export const description = "Good"; export const run = () => ({ a: 1 });`,
    "home/.config/landline/tools/broken.js": "throw new Error('no luck')",
    "home/.config/landline/tools/mute.js": "export const run = () => '';",
    "home/.config/landline/tools/quits.js": "console.error('bye'); process.exit(3);",
    "home/.config/landline/tools/read.js": `export const description = "x";`,
    "home/.config/landline/tools/no name.js": "",
  });
  const { customTools, config } = await folder.open();
  expect(customTools.map((tool) => tool.name)).toEqual(["good"]);
  await expect(customTools[0]?.run({}, toolContext())).resolves.toEqual({
    output: '{\n  "a": 1\n}',
  });
  expect(config.problems.toSorted()).toEqual([
    expect.stringContaining("broken.js: the tool was left out: no luck"),
    expect.stringContaining("mute.js: the tool was left out: it must export `description`"),
    expect.stringContaining("no name.js: a tool's name has"),
    expect.stringMatching(
      /quits\.js: the tool was left out: it ended without an answer \(code 3\)\.\nIt printed:\nbye/,
    ),
    expect.stringContaining("read.js: `read` is a tool of the agent itself"),
  ]);
});

it("a cancelled call ends the tool and all its child processes", async () => {
  await using folder = await scratch({
    ...trustAll,
    "project/.landline/tools/long.mjs": `
      import { spawn } from "node:child_process";
      import { writeFileSync } from "node:fs";
      export const description = "Takes long";
      export async function run(_input, { signal }) {
        const child = spawn("sleep", ["600"], { stdio: "ignore" });
        writeFileSync("pids", process.pid + " " + child.pid);
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        await new Promise(() => setInterval(() => {}, 1000));
      }`,
  });
  const tool = await toolOf(folder, "long");
  const stop = new AbortController();
  const running = tool.run({}, toolContext(stop.signal));
  const pidsOf = async () => {
    const text = await readFile(join(folder.project, "pids"), "utf8").catch(() => "");
    return text.split(" ").map(Number);
  };
  await expect.poll(pidsOf).toHaveLength(2);
  const pids = await pidsOf();
  stop.abort();
  await expect(running).rejects.toThrow("aborted");
  await expect.poll(() => pids.filter(lives)).toEqual([]);
});

it("shows a schema to the model as it was written, even one that zod can't read", () => {
  const strange = {
    type: "object",
    properties: { a: { $ref: "#/$defs/a" } },
    $defs: { a: { type: "string" } },
    id: "x",
  };
  const { id: _id, ...shown } = strange;
  expect(z.toJSONSchema(checkedExternalToolInput(strange))).toMatchObject(shown);
  const unreadable = { type: "object", properties: { a: { not: { type: "string" } } } };
  expect(z.toJSONSchema(checkedExternalToolInput(unreadable))).toMatchObject(unreadable);
  expect(checkedExternalToolInput(unreadable).safeParse({ a: 1 }).success).toBe(true);
});
