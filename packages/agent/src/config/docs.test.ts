import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { scratch } from "../../test/config/config-fixture.ts";
import { toolContext } from "../../test/config/tool-context.ts";
import { schemas } from "./schema.ts";

/** The code blocks of one language in docs/agent.md. */
async function examples(language: string): Promise<string[]> {
  const page = await readFile(new URL("../../../../docs/agent.md", import.meta.url), "utf8");
  return [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? "");
}

it("shows every key of a configuration file with a valid value", async () => {
  const [example = ""] = await examples("jsonc");
  await using folder = await scratch({
    "home/.config/landline/agent.jsonc": example,
    "home/.my-key": "key",
  });
  await folder.write({ "home/.config/landline/docs/rules/a.md": "a rule" });
  const { config, rules } = await folder.open({ environment: { MY_KEY: "other" } });
  expect(config.problems).toEqual([]);
  for (const key of [...Object.keys(schemas.whole), ...Object.keys(schemas.entries)]) {
    expect(example).toContain(`"${key}":`);
  }
  expect(rules).toHaveLength(1);
  expect(config.providers["my-server"]?.apiKey).toBe("a key, other or key");
  expect([config.mcpServers.length, config.formatters.length, config.linters.length]).toEqual([
    2, 1, 1,
  ]);
});

it("shows an agent and a tool that work", async () => {
  const [agent = ""] = await examples("markdown");
  const [tool = ""] = await examples("ts");
  await using folder = await scratch({
    "home/.config/landline/agents/database.md": agent,
    "home/.config/landline/tools/customer.ts": tool,
  });
  const { config, customTools } = await folder.open();
  expect(config.problems).toEqual([]);
  expect(config.agents.at(-1)).toMatchObject({ id: "database", role: "subagent", steps: 30 });
  await expect(customTools[0]?.run({ number: 7 }, toolContext())).resolves.toMatchObject({
    output: `Customer 7, asked for in ${folder.project}`,
  });
});
