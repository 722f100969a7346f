import { writeFile } from "node:fs/promises";
import * as path from "node:path";
import { shellLine } from "@landline/system/shell-words";
import { scriptedAgentCommand } from "@landline/testing";
import { expect, test } from "vitest";
import { Home } from "./landline.ts";

test("a session that an agent stores itself is listed and continued from the command line", async () => {
  await using home = await Home.make();
  const file = path.join(home.folder, "own.json");
  const sessionCapabilities = { list: {}, delete: {} };
  const agentCapabilities = { loadSession: true, sessionCapabilities };
  const turns = [{ steps: [{ say: "You said: {{prompt}}" }] }];
  await writeFile(file, JSON.stringify({ about: "own", initialize: { agentCapabilities }, turns }));
  const state = path.join(home.folder, "own-state");
  const { command, args } = scriptedAgentCommand(file, { state });
  // Two entries for one program: `before` opens a session that `own` does not know.
  const line = shellLine([command, ...args]);
  await home.serve("--agent", `before=${line}`, "--agent", `own=${line}`);
  await home.landline("run", "first", "--agent", "before");
  const listed = await home.landline("sessions", "--agent", "own", "--json");
  const [found] = listed.stdout
    .trim()
    .split("\n")
    .map(
      (text) =>
        JSON.parse(text) as {
          agentSessionId: string;
          sessionId: string | null;
        },
    );
  expect(found).toMatchObject({ sessionId: null });
  const table = await home.landline("sessions", "--agent", "own");
  expect(table.stdout).toMatch(/^AGENT SESSION +SESSION HERE +LAST +FOLDER +TITLE\n/);
  const continued = await home.landline("continue", "own", found?.agentSessionId ?? "");
  expect(continued).toMatchObject({ code: 0 });
  const sessionId = continued.stdout.trim();
  const shown = await home.landline("attach", sessionId, "--no-follow");
  expect(shown.stdout).toContain("You said: first");
  const unknown = await home.landline("continue", "own", "none");
  expect(unknown.stderr).toContain('own has no session "none".');
});
