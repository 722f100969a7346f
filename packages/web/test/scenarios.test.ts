import { readdirSync } from "node:fs";
import * as path from "node:path";
import { readScenario } from "@landline/testing";
import { expect, test } from "vitest";

const folder = path.join(import.meta.dirname, "scenarios");

test.each(readdirSync(folder))("%s is a scenario", (name) => {
  expect(readScenario(path.join(folder, name)).about).not.toBe("");
});
