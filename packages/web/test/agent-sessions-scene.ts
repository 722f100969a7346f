import { mkdir, readdir, utimes } from "node:fs/promises";
import * as path from "node:path";
import { isIdle, scenario, type TestGateway } from "./gateway.ts";
import { choosesAgent, finds, presses } from "./page-actions.ts";
import type { State } from "./states.ts";

/** A dialog that lists sessions of an agent: one has no title, and one is already in Landline. */
export const agentSessions: State = {
  name: "agent-sessions",
  set: async (stage) => {
    const gateway = await stage.gateway({
      agents: { terminal: scenario("work"), scripted: scenario("work") },
      storesAgentSessions: true,
    });
    const shop = path.join(gateway.folder, "code/customers/online-shop-with-a-long-name");
    await mkdir(shop, { recursive: true });
    await talk(gateway, "terminal", "Why can the login be guessed?");
    await talk(gateway, "terminal", "Repair it", { cwd: shop });
    await talk(gateway, "terminal", "Hello");
    await talk(gateway, "scripted", "Why can the login be guessed?");
    await age(gateway);
    return {
      gateway,
      hash: "#/",
      show: async (page) => {
        await choosesAgent(page, "Scripted");
        await presses(page.getByRole("button", { name: /^Continue a conversation of Scripted/ }));
        const dialog = page.getByRole("dialog", { name: "Conversations of Scripted" });
        await finds(dialog.getByText("In Landline"));
      },
    };
  },
};

/** Opens a session of the agent and waits for the end of a turn. */
export async function talk(
  gateway: TestGateway,
  agent: string,
  text: string,
  more: object = {},
): Promise<string> {
  const sessionId = await gateway.open(agent, more);
  await gateway.promptUntil(sessionId, text, isIdle);
  return sessionId;
}

/** Gives each stored session another age. */
async function age({ agentState }: TestGateway): Promise<void> {
  for (const [index, name] of (await readdir(agentState)).toSorted().entries()) {
    const at = Date.now() / 1_000 - 5_000 * 5 ** index;
    await utimes(path.join(agentState, name), at, at);
  }
}
