import * as fs from "node:fs/promises";
import type { SessionEvent } from "@landline/protocol";
import { expect, test } from "vitest";
import { GatewayProcess } from "./gateway-process.ts";
import { until } from "./until.ts";

type Kind = SessionEvent["kind"];

/** A session of the built-in agent in a real gateway. */
class Conversation {
  readonly #gateway: GatewayProcess;
  readonly #id: string;

  constructor(gateway: GatewayProcess, id: string) {
    this.#gateway = gateway;
    this.#id = id;
  }

  async allowAll(): Promise<void> {
    const choice = { configId: "permissions", value: "allow-all" };
    await this.#gateway.json("POST", `/api/sessions/${this.#id}/config`, choice);
  }

  async events<Of extends Kind>(kind: Of): Promise<Extract<SessionEvent, { kind: Of }>[]> {
    const events = await this.#gateway.logEvents(this.#id);
    return events.filter(
      (event): event is Extract<SessionEvent, { kind: Of }> => event.kind === kind,
    );
  }

  /** Prompts. Returns whether the agent asked before the turn ended. */
  async asks(text: string): Promise<boolean> {
    const before = [await this.events("ask-opened"), await this.events("turn-ended")];
    const [asks = 0, ends = 0] = before.map(({ length }) => length);
    const content = [{ type: "text", text }];
    await this.#gateway.json("POST", `/api/sessions/${this.#id}/prompts`, { content });
    let isAsked = false;
    await until("the agent asks or is done", async () => {
      isAsked = (await this.events("ask-opened")).length > asks;
      return isAsked || (await this.events("turn-ended")).length > ends;
    });
    return isAsked;
  }

  async notices(): Promise<unknown[]> {
    return (await this.events("update")).flatMap(({ update }) =>
      update["sessionUpdate"] === "notice" ? [update["title"]] : [],
    );
  }

  async level(): Promise<unknown> {
    const { view } = await this.#gateway.json<{
      view: { configOptions: { id: string; currentValue: unknown }[] };
    }>("GET", `/api/sessions/${this.#id}`);
    return view.configOptions.find(({ id }) => id === "permissions")?.currentValue;
  }
}

async function conversation(gateway: GatewayProcess): Promise<Conversation> {
  return new Conversation(gateway, await gateway.openSession("landline"));
}

const agentsOf = (gateway: GatewayProcess) =>
  gateway.processes().filter(({ command }) => /\sagent(\s|$)/.test(command));

async function killAgents(gateway: GatewayProcess, talk: Conversation): Promise<void> {
  const agents = agentsOf(gateway);
  expect(agents).not.toEqual([]);
  for (const { pid } of agents) process.kill(pid, "SIGKILL");
  // A prompt that arrives before the gateway notices the exit goes to the dead agent, and fails.
  await until("the exit is logged", async () => (await talk.events("agent-exited")).length > 0);
}

async function killGateway(gateway: GatewayProcess): Promise<void> {
  await gateway.end("SIGKILL");
  await gateway.start();
}

test.each([
  ["the gateway", killGateway],
  ["the agent", killAgents],
])(
  "after %s was killed, the next command needs permission",
  async (_what, kill) => {
    await using gateway = await GatewayProcess.make({});
    await gateway.start();
    const talk = await conversation(gateway);
    await talk.allowAll();
    expect(await talk.asks("run touch one.txt")).toBe(false);
    await kill(gateway, talk);
    expect(await talk.asks("run touch two.txt")).toBe(true);
    expect(await fs.readdir(gateway.project)).toEqual(["one.txt"]);
    expect(await talk.level()).toBe("ask");
    expect(await talk.notices()).toContain("Permissions are back to Ask");
  },
  60_000,
);

test("a level in the agent's config stays after the gateway was killed", async () => {
  await using gateway = await GatewayProcess.make({});
  await fs.mkdir(gateway.path(".config/landline"), { recursive: true });
  const config = JSON.stringify({ permission_level: "allow-all" });
  await fs.writeFile(gateway.path(".config/landline/agent.jsonc"), config);
  await gateway.start();
  const talk = await conversation(gateway);
  expect(await talk.asks("run touch one.txt")).toBe(false);
  await killGateway(gateway);
  expect(await talk.asks("run touch two.txt")).toBe(false);
  expect(await fs.readdir(gateway.project)).toEqual(["one.txt", "two.txt"]);
  expect(await talk.notices()).not.toContain("Permissions are back to Ask");
});
