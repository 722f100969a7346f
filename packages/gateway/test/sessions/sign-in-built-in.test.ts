import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AgentSummary } from "@landline/protocol";
import { afterEach, expect, test } from "vitest";
import { ScriptedGateway, Watcher } from "./scripted-gateway.ts";
import { SignInClient } from "./sign-in-client.ts";

const start = join(import.meta.dirname, "../../../cli/src/start.ts");
const KEY = "sk-key-of-the-test-0123456789";

let gateway: ScriptedGateway;
afterEach(() => gateway[Symbol.asyncDispose]());

/** The built-in agent without the machine's keys and config. */
async function open(environment: Readonly<Record<string, string>> = {}): Promise<SignInClient> {
  gateway = await ScriptedGateway.open({}, { listDelayMs: 1 });
  await gateway.stop();
  const nothing = Object.fromEntries(
    Object.keys(process.env)
      .filter((name) => name.endsWith("_API_KEY"))
      .map((name) => [name, ""]),
  );
  const agent = {
    id: "landline",
    command: process.execPath,
    args: ["--conditions=@landline/source", start, "agent"],
    env: {
      ...nothing,
      HOME: gateway.folder,
      XDG_CONFIG_HOME: gateway.folder,
      XDG_DATA_HOME: gateway.folder,
      NO_COLOR: "1",
      ...environment,
    },
  };
  await gateway.start({ agents: [agent] });
  return SignInClient.open(gateway, "landline");
}

const credentials = () => join(gateway.folder, "landline/agent-credentials.json");

async function stored(): Promise<string> {
  expect((await stat(credentials())).mode & 0o777).toBe(0o600);
  return readFile(credentials(), "utf8");
}

async function listed(): Promise<AgentSummary | undefined> {
  const { url, token } = gateway;
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/agents`, { headers });
  const { agents } = (await answer.json()) as { agents: AgentSummary[] };
  return agents.find(({ id }) => id === "landline");
}

interface Form {
  readonly properties: { readonly provider: { readonly oneOf: readonly { const: string }[] } };
}

test("a form signs in to the built-in agent with a key", async () => {
  using desk = await open();
  const reply = desk.signIn("api-key");
  const { question } = await desk.shown((progress) => progress.question !== undefined);
  const { properties } = (question as unknown as { requestedSchema: Form }).requestedSchema;
  expect(properties.provider.oneOf.map((choice) => choice.const)).toContain("anthropic");
  const answer = (provider: string, key: string) =>
    desk.answer({ action: "accept", content: { provider, key } });
  expect((await answer("nobody", KEY))["error"]).toMatchObject({ code: "invalid-params" });
  expect((await answer("anthropic", "short"))["error"]).toMatchObject({ code: "invalid-params" });
  await answer("anthropic", KEY);
  expect((await reply)["result"]).toMatchObject({ agent: expect.any(String) });
  expect(await stored()).toContain(KEY);
});

test("the built-in agent lists its keys, and a sign-out deletes stored ones", async () => {
  using desk = await open({ XAI_API_KEY: "xai-key-of-the-test" });
  const ofEnvironment = { name: "xAI", variable: "XAI_API_KEY" };
  const reply = desk.signIn("api-key");
  await desk.shown((progress) => progress.question !== undefined);
  await desk.answer({ action: "accept", content: { provider: "anthropic", key: KEY } });
  await reply;
  expect(await listed()).toMatchObject({
    signedIn: true,
    canSignOut: true,
    keys: [{ name: "Anthropic", variable: null }, ofEnvironment],
  });
  const session = await gateway.openSession("landline");
  const signedOut = await desk.client.ask("sign-out", { agent: "landline" });
  expect(signedOut["result"]).toMatchObject({ agent: expect.any(String) });
  expect(await stored()).not.toContain(KEY);
  expect(await listed()).toMatchObject({ signedIn: false, keys: [ofEnvironment] });
  expect(JSON.stringify(desk.client.frames)).not.toContain("of-the-test");
  using watcher = new Watcher(session);
  await watcher.until("agent-exited", ({ code }) => code === 0);
});

test("a terminal signs in to the built-in agent without showing the key", async () => {
  using desk = await open();
  const { terminalId, reply } = await desk.inTerminal("login");
  await desk.sees(terminalId, "Which provider is the key for?");
  await desk.type(terminalId, "\r");
  await desk.sees(terminalId, "The API key of");
  await desk.type(terminalId, KEY);
  await desk.type(terminalId, "\r");
  await desk.sees(terminalId, "is stored in");
  expect((await reply)["result"]).toMatchObject({ agent: expect.any(String) });
  expect(await stored()).toContain(KEY);
  expect(desk.screen(terminalId)).not.toContain(KEY);
});

test("cancelling in the terminal reports that nothing was stored", async () => {
  using desk = await open();
  const { terminalId, reply } = await desk.inTerminal("login");
  await desk.sees(terminalId, "Which provider is the key for?");
  await desk.type(terminalId, "\u0003");
  expect((await reply)["error"]).toMatchObject({
    code: "auth-required",
    screen: expect.stringContaining("Nothing was stored."),
  });
});
