import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { builtIns } from "../../src/core/available-commands.ts";
import * as limits from "../../src/limits.ts";

const page = await readFile(new URL("../../../../docs/agent.md", import.meta.url), "utf8");

test("the limits on the page are those of the agent", () => {
  const told = [...page.matchAll(/^\| `(\w+)\.(\w+)`\s*\| (\d+)\s*\|/gm)];
  expect(told.length).toBeGreaterThan(10);
  const groups = limits as Readonly<Record<string, Readonly<Record<string, number>>>>;
  for (const [, group = "", name = "", value] of told)
    expect({ group, name, value: groups[group]?.[name] }).toEqual({
      group,
      name,
      value: Number(value),
    });
});

test("every built-in command is on the page", () => {
  const [, section = ""] = /^## Commands\n([^]*?)^## /m.exec(page) ?? [];
  for (const { name } of builtIns) expect(section).toContain(`\`${name}\``);
});

test("links within the page are valid", () => {
  const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
  const links = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map(([, link]) => link);
  expect(links.length).toBeGreaterThan(10);
  expect(headings).toEqual(expect.arrayContaining(links));
});
