import { fc, test } from "@fast-check/vitest";
import { expect, it } from "vitest";
import { ToolNames } from "./tool-names.ts";

it("makes valid names, and changes those that collide, are too long or are built in", () => {
  const names = new ToolNames();
  expect(names.nameOf("git hub", "create.issue")).toBe("git_hub_create_issue");
  expect(names.nameOf("a", "b_c")).toBe("a_b_c");
  expect(names.nameOf("a_b", "c")).toMatch(/^a_b_c_[0-9a-f]{8}$/);
  expect(names.nameOf("a", "b_c")).toBe("a_b_c");
  expect(names.nameOf("apply", "patch")).toMatch(/^apply_patch_[0-9a-f]{8}$/);
  expect(names.nameOf("s", "x".repeat(100))).toHaveLength(64);
});

test.prop([
  fc.uniqueArray(fc.tuple(fc.string(), fc.string()), {
    selector: (pair) => JSON.stringify(pair),
    maxLength: 50,
  }),
])("gives every tool a unique name that providers accept", (tools) => {
  const names = new ToolNames();
  const given = tools.map(([server, tool]) => names.nameOf(server, tool));
  expect(new Set(given).size).toBe(tools.length);
  for (const name of given) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
});
