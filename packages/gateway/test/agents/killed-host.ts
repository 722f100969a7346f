import { limitsOf } from "@landline/protocol";
import { shippedScenario } from "@landline/testing";
import { createAgentHost } from "../../src/agents/host.ts";
import { Heard, scriptedEntry, spawnChildren } from "./test-agent-host.ts";

/**
 * A gateway that orphan-processes.test.ts kills: it starts an agent with children in their own sessions, and prints
 * their pids.
 */
const [folder = ""] = process.argv.slice(2);
const limits = limitsOf("default");
const host = createAgentHost({ folder: { path: folder }, limits });
const heard = new Heard();
const agent = await host.start({
  entry: scriptedEntry(shippedScenario("stubborn")),
  cwd: folder,
  roots: [],
  clientCapabilities: {},
  limits,
  handlers: heard,
});
const children = await spawnChildren(agent, heard, folder);
process.stdout.write(`${JSON.stringify({ mark: agent.mark, children })}\n`);
