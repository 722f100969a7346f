import { randomUUID } from "node:crypto";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { decodeLine, type LimitOverrides, type SessionEvent } from "@landline/protocol";
import { shippedScenario } from "@landline/testing";
import { expect } from "vitest";
import type { GatewayOptions } from "../../src/gateway-options.ts";
import type { Session } from "../../src/sessions/sessions.ts";
import { ScriptedGateway, text, Watcher } from "./scripted-gateway.ts";

/**
 * The processes in the gateway's folder: its agents, their children, and its terminals. Each must have the gateway's
 * mark.
 */
export async function running(gateway: ScriptedGateway): Promise<number[]> {
  const pids: number[] = [];
  for (const name of (await fs.readdir("/proc")).filter((entry) => /^\d+$/.test(entry))) {
    const at = await fs.readlink(`/proc/${name}/cwd`).catch(() => "");
    const environment = await fs.readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
    if (!at.startsWith(`${gateway.folder}/`) || environment === "") continue;
    expect(environment).toContain("LANDLINE_AGENT_MARK=");
    pids.push(Number(name));
  }
  return pids;
}

/** Shorter timeouts than in production. */
const quick: LimitOverrides = {
  agentInputMs: 300,
  agentTermMs: 300,
  shutdownInputMs: 300,
  shutdownTermMs: 300,
  cancelRequestMs: 300,
  cancelRestartMs: 300,
};

type MarkedGatewayOptions = Partial<Omit<GatewayOptions, "limits">> & { limits?: LimitOverrides };

/**
 * Runs the body with a gateway, and closes it. Then no process of an agent may run, and in every log everything that
 * was opened must be closed, once.
 */
export async function inGateway(
  scenarios: Readonly<Record<string, object>>,
  body: (gateway: ScriptedGateway) => Promise<void>,
  { limits = {}, ...options }: MarkedGatewayOptions = {},
): Promise<void> {
  await using gateway = await ScriptedGateway.open(scenarios, { ...quick, ...limits }, options);
  await body(gateway);
  await gateway.stop();
  for (const events of await logsOf(gateway)) checkEnds(events);
  expect(await running(gateway)).toEqual([]);
}

/** A shipped scenario, by its name. */
export async function shipped(name: string): Promise<object> {
  return JSON.parse(await fs.readFile(shippedScenario(name), "utf8")) as object;
}

/** The files on the disk once the gateway is closed. */
async function logsOf(gateway: ScriptedGateway): Promise<SessionEvent[][]> {
  const folder = path.join(gateway.data, "sessions");
  const logs: SessionEvent[][] = [];
  for (const session of await fs.readdir(folder)) {
    const segments = (await fs.readdir(path.join(folder, session))).filter((name) =>
      name.endsWith(".ndjson"),
    );
    const texts = await Promise.all(
      segments.sort().map((name) => fs.readFile(path.join(folder, session, name), "utf8")),
    );
    const events = texts.flatMap((whole) => whole.trimEnd().split("\n").slice(1).map(decodeLine));
    logs.push(events as SessionEvent[]);
  }
  return logs;
}

function checkEnds(events: readonly SessionEvent[]): void {
  const ids = <Kind extends SessionEvent["kind"]>(
    kind: Kind,
    idOf: (event: Extract<SessionEvent, { kind: Kind }>) => string,
  ) =>
    events
      .filter((event): event is Extract<SessionEvent, { kind: Kind }> => event.kind === kind)
      .map(idOf)
      .sort();
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
  const turns = ids("turn-started", ({ turnId }) => turnId);
  expect(ids("turn-ended", ({ turnId }) => turnId)).toEqual(turns);
  expect(new Set(turns).size).toBe(turns.length);
  const asks = ids("ask-opened", ({ askId }) => askId);
  expect(ids("ask-settled", ({ askId }) => askId)).toEqual(asks);
  const terminals = ids("terminal-opened", ({ terminalId }) => terminalId);
  expect(ids("terminal-exited", ({ terminalId }) => terminalId)).toEqual(terminals);
  expect(ids("agent-exited", () => "")).toEqual(ids("agent-started", () => ""));
}

/** Opens a session and follows its log. */
export async function opened(
  gateway: ScriptedGateway,
  agent = "agent",
): Promise<{ session: Session; watcher: Watcher }> {
  const session = await gateway.openSession(agent);
  return { session, watcher: new Watcher(session) };
}

/** Prompts, and answers the permission request with the option of this kind. */
export async function answering(
  { session, watcher }: { session: Session; watcher: Watcher },
  words: string,
  kind: string,
) {
  const promptId = randomUUID();
  await session.prompt(promptId, text(words), "tester");
  const { seq, turnId } = await watcher.until("turn-started", (one) => one.promptId === promptId);
  const ask = await watcher.until("ask-opened", () => true, seq);
  if (ask.ask !== "permission") throw new Error("The agent asks a question.");
  const option = ask.options.find((one) => one.kind === kind);
  if (!option) throw new Error(`No option of the kind ${kind} was offered.`);
  const { optionId } = option;
  await session.answer(ask.askId, { outcome: "selected", optionId }, "tester");
  const ended = await watcher.until("turn-ended", (one) => one.turnId === turnId);
  return { ask, ended };
}

/** The whole view, however long the conversation is. */
export async function itemsOf<Type extends string>(session: Session, type: Type) {
  const { items } = await session.view();
  return items.filter((item): item is Extract<(typeof items)[number], { type: Type }> => {
    return item.type === type;
  });
}
