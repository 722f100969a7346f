import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseScript } from "./script-file.ts";
import { startModelServer } from "./server.ts";

const page = join(import.meta.dirname, "../../../../docs/model-server.md");

test("the example of the reference behaves as documented", async () => {
  const example = /```json\n([\s\S]*?)```/.exec(await readFile(page, "utf8"))?.[1] ?? "";
  const { replies, models } = parseScript(example, "docs/model-server.md");
  await using server = await startModelServer({ script: replies, models: models ?? [] });
  const ask = async (system: string, ...messages: object[]) => {
    const response = await fetch(`${server.url}/api/chat`, {
      method: "POST",
      body: JSON.stringify({
        model: "demo-model",
        stream: false,
        messages: [{ role: "system", content: system }, ...messages],
      }),
    });
    return [response.status, await response.json()] as const;
  };
  const said = (content: string) => [200, { message: { content } }];
  const user = { role: "user", content: "What does the file say?" };

  expect(await ask("You write a title.", user)).toMatchObject(said("A greeting"));
  expect(await ask("", user)).toMatchObject([
    200,
    {
      message: {
        content: "Let me look.",
        thinking: "I had better look at the file.",
        tool_calls: [{ function: { name: "read", arguments: { path: "README.md" } } }],
      },
      prompt_eval_count: 120,
      eval_count: 30,
    },
  ]);
  const call = { role: "assistant", tool_calls: [{ function: { name: "read", arguments: {} } }] };
  const result = { role: "tool", tool_name: "read", content: "file not found" };
  expect(await ask("", user, call, result)).toMatchObject(said("There is no such file."));
  expect(await ask("", user)).toMatchObject([429, {}]);
  expect(await ask("You write a title.", user)).toMatchObject(said("A greeting"));
  expect(await ask("", user)).toMatchObject(said("All done."));
  expect(server.exhausted).toBe(false);
  expect((await ask("", user))[0]).toBe(500);
  expect(server.exhausted).toBe(true);
});
