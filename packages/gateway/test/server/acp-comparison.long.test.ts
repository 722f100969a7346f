import { spawn } from "node:child_process";
import { once } from "node:events";
import * as path from "node:path";
import type { Stream } from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import {
  allowedDifferences,
  clientScenarios,
  comparedAgent,
  runScenario,
  scriptedAgentCommand,
} from "@landline/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ScriptedGateway } from "../sessions/scripted-gateway.ts";

type Transport = "WebSocket" | "HTTP";

function streamTo(url: string, transport: Transport, token?: string): Stream {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return transport === "HTTP"
    ? createHttpStream(url, { headers })
    : createWebSocketStream(url.replace("http", "ws"), { headers, WebSocket });
}

/** The agent itself, behind the SDK's server of WebSocket and Streamable HTTP. */
async function agentAt({ folder }: ScriptedGateway): Promise<AsyncDisposable & { url: string }> {
  const state = path.join(folder, "direct-state");
  const { command, args } = scriptedAgentCommand(path.join(folder, "agent.json"), { state });
  const child = spawn(command, [...args, "--port", "0", "--web"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { readonly port: number };
  return {
    url: `http://127.0.0.1:${port}/acp`,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
    },
  };
}

let gateway: ScriptedGateway;
let agent: Awaited<ReturnType<typeof agentAt>>;
beforeAll(async () => {
  // Agents of earlier scenarios are ended.
  gateway = await ScriptedGateway.open({ agent: comparedAgent }, { agentsRunning: 3 });
  agent = await agentAt(gateway);
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});

const occurred = new Set<string>();

describe.each(["WebSocket", "HTTP"] as const)(
  "over %s, a client receives what the agent itself would send",
  (transport) => {
    test.each(Object.entries(clientScenarios))("%s", async (name, scenario) => {
      const isHttp = transport === "HTTP";
      const folder = path.join(gateway.project, `${transport}: ${name}`);
      const direct = await runScenario(
        scenario,
        { cwd: `${folder}, directly`, isGateway: false, isHttp },
        (client) => client.connect(streamTo(agent.url, transport)),
      );
      const { url, token } = gateway;
      const through = await runScenario(
        scenario,
        { cwd: folder, isGateway: true, isHttp },
        (client) => client.connect(streamTo(`${url}/acp?agent=agent`, transport, token)),
      );
      expect(through.received).toEqual(direct.received);
      expect([...direct.faults, ...through.faults]).toEqual([]);
      for (const difference of [...direct.differences, ...through.differences])
        occurred.add(difference);
    });
  },
);

test("no difference is allowed that does not occur", () => {
  expect(Object.keys(allowedDifferences).filter((name) => !occurred.has(name))).toEqual([]);
});
