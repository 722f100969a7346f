import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { forms } from "../../src/model/demo/grammar.ts";
import { knownProviders } from "../../src/model/known-providers.ts";
import { knownServers } from "../../src/model/local/known-servers.ts";

const page = await readFile(new URL("../../../../docs/models.md", import.meta.url), "utf8");

test("every sentence of the demo model is in the documents", () => {
  for (const form of Object.values(forms)) expect(page).toContain(`\`${form}\``);
});

test("every provider, its variables, and every kind of server is in the documents", () => {
  for (const { id, keyVariables, baseUrlVariables } of knownProviders)
    for (const word of [id, ...keyVariables, ...baseUrlVariables])
      expect(page).toContain(`\`${word}\``);
  for (const { name, port } of knownServers) {
    expect(page.replaceAll(/\s+/g, " ")).toContain(name);
    expect(page).toContain(String(port));
  }
});
