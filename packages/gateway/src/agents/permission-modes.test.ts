import { describe, expect, test } from "vitest";
import { permissionModesOf } from "./permission-modes.ts";

const info = (name: string) => ({ name, version: "1" });

describe("the modes of known agents", () => {
  test.each([
    ["claude", "default plan", "acceptEdits auto dontAsk bypassPermissions"],
    ["codex", "read-only", "auto workspace-write agent agent-full-access full-access"],
    ["gemini", "default plan", "autoEdit yolo"],
    ["qwen", "default plan", "auto-edit auto yolo"],
    ["goose", "approve chat", "auto smart_approve"],
    ["copilot", "agent https://example.com/modes#plan", "https://example.com/modes#autopilot"],
    ["kimi", "default plan", "auto yolo"],
    ["droid", "normal spec", "auto-low auto-medium auto-high"],
    ["opencode", "build plan my-own", ""],
  ])("%s asks in %s and not in %s", (id, asking, others) => {
    const modes = permissionModesOf(id, null);
    for (const mode of asking.split(" ")) expect([mode, modes.mode(mode)]).toEqual([mode, true]);
    for (const mode of others.split(" ").filter(Boolean))
      expect([mode, modes.mode(mode)]).toEqual([mode, false]);
  });

  test("are found by the agent's own name", () => {
    expect(permissionModesOf("mine", info("gemini-cli")).mode("default")).toBe(true);
  });

  test("include options about permissions", () => {
    expect(permissionModesOf("cline", null).option("auto_approve", false)).toBe(true);
    expect(permissionModesOf("cline", null).option("auto_approve", true)).toBe(false);
    expect(permissionModesOf("copilot", null).option("allow_all", "on")).toBe(false);
  });
});

test("of an unknown agent are known only by unambiguous names", () => {
  const modes = permissionModesOf("unheard-of", info("Unheard of"));
  expect(["yolo", "auto-edit", "ask", "quick"].map((mode) => modes.mode(mode))).toEqual([
    false,
    false,
    null,
    null,
  ]);
  expect(modes.option("allow_all", "on")).toBe(false);
  expect(modes.option("allow_all", "off")).toBeNull();
  expect(modes.option("level", "bypass")).toBe(false);
  expect(modes.option("approval_policy", "never")).toBe(false);
  expect(modes.option("permission_prompts", false)).toBe(false);
  expect(modes.option("approval_policy", "untrusted")).toBeNull();
  expect(modes.option("auto_approval", "off")).toBeNull();
  expect(modes.option("colour", "on")).toBeNull();
});

test.each(
  "approve-all always-allow alwaysApprove trustAll unrestricted unattended no-confirm noApproval without_asking unsafe".split(
    " ",
  ),
)("an unknown agent does not ask in the mode %s", (mode) => {
  expect(permissionModesOf("unheard-of", null).mode(mode)).toBe(false);
});

test.each("ask confirm approve safe untrusted restricted supervised code architect".split(" "))(
  "it is unknown whether an unknown agent asks in the mode %s",
  (mode) => {
    expect(permissionModesOf("unheard-of", null).mode(mode)).toBeNull();
  },
);
