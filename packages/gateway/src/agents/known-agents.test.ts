import { protectedPlaces } from "@landline/shell";
import { expect, test } from "vitest";
import { knownAgents } from "./known-agents.ts";

/** The folder in a project from which each known agent reads settings that may run programs. */
const settingsFolders: Readonly<Record<string, string>> = {
  opencode: ".opencode",
  claude: ".claude",
  gemini: ".gemini",
  qwen: ".qwen",
  codex: ".codex",
  goose: ".goose",
  copilot: ".github/hooks",
  kimi: ".kimi",
  cline: ".clinerules",
  droid: ".factory",
  kilo: ".kilocode",
  pi: ".pi",
  auggie: ".augment",
};

test("the settings of every known agent are a protected place", () => {
  expect(Object.keys(settingsFolders).sort()).toEqual(knownAgents.map(({ id }) => id).sort());
  for (const folder of Object.values(settingsFolders))
    expect(protectedPlaces("/p")).toContain(`/p/${folder}`);
});
