import { mkdir, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { guardedFiles } from "../src/guarded-files.ts";
import { ConfinedProject } from "./confined-project.ts";
import { isSkipped } from "./skipped.ts";

describe.skipIf(isSkipped)("a credential deep in a project", () => {
  test("cannot be hidden by creating many files", async () => {
    await using made = await ConfinedProject.make({ "project/packages/api/.env": "SECRET" });
    const line = "mkdir -p a/b; for i in {1..25000}; do : > a/$i; done; ls a | wc -l";
    expect(await made.run(line)).toBe("25001\n");
    expect(await made.run("cat packages/api/.env")).toMatch(/Permission denied\n$/);
  });
});

describe("the search for credentials", () => {
  test("reads a very large folder in parts", async () => {
    await using made = await ConfinedProject.make({ "project/.env": "" });
    const name = "x".repeat(200);
    await mkdir(made.at("large"));
    for (let index = 0; index < 22_000; index += 1)
      await writeFile(made.at("large", `${name}${index}`), "");
    await writeFile(made.at("large", "server.key"), "");
    await mkdir(made.at("large/folder"));
    await writeFile(made.at("large/folder/.env"), "");
    const { credentials } = await guardedFiles([made.project]);
    expect(credentials.toSorted()).toEqual(
      [".env", "large/folder/.env", "large/server.key"].map((path) => made.at(path)),
    );
    const search = { entries: 10_000, isWhole: true };
    await expect(guardedFiles([made.project], search)).rejects.toThrow("more than 10,000 files");
  });
});
