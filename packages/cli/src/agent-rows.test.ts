import { listAgents, loadConfig } from "@landline/gateway";
import { expect, test } from "vitest";
import { agentRows } from "./agent-rows.ts";

const environment = { HOME: "/nowhere/home" };

test("a missing agent is one short line, and the searched places are printed once", async () => {
  const options = await loadConfig({ environment });
  const agents = await listAgents({
    ...options,
    agents: [
      { id: "mine", command: "no-such-program", args: ["--acp"] },
      { id: "other", command: "/no/such/program" },
    ],
  });
  const missing = agents.filter(({ found }) => !found);
  const { rows, lookedIn } = agentRows(missing);
  expect(rows[0]).toEqual(["mine", "mine", "no", "no-such-program --acp: not found"]);
  expect(rows[1]?.[3]).toBe("/no/such/program: there is no program at /no/such/program.");
  for (const [, , , how] of rows.slice(2)) expect(how).toMatch(/^npm install --global \S+$/);
  expect([...lookedIn]).toEqual([expect.stringMatching(/^the \d+ folders of the PATH and .*\)$/)]);
});

test("a found agent is printed with its command", () => {
  const agent = { id: "a", name: "A", found: true, how: "/bin/a --acp", install: null };
  const { rows, lookedIn } = agentRows([agent]);
  expect(rows).toEqual([["a", "A", "yes", "/bin/a --acp"]]);
  expect(lookedIn.size).toBe(0);
});
