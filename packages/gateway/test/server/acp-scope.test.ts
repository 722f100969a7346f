import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { Persona } from "@landline/testing";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { ScriptedGateway } from "../sessions/scripted-gateway.ts";

test("a token of one session starts only the agent of that session through /acp", async () => {
  await using gateway = await ScriptedGateway.open({ own: {}, other: {} });
  const { url, token } = gateway;
  const session = await gateway.openSession("own");
  const made = await fetch(`${url}/api/devices`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "guest", role: "control", session: session.id }),
  });
  const { token: limited } = (await made.json()) as { readonly token: string };
  const connected = (agent: string) => {
    const persona = new Persona("full");
    const headers = { authorization: `Bearer ${limited}` };
    const address = `${url.replace("http", "ws")}/acp?agent=${agent}`;
    persona.connect(createWebSocketStream(address, { headers, WebSocket }));
    return persona;
  };
  await using other = connected("other");
  await expect(other.initialize()).rejects.toThrow("limited to one session of the agent own");
  await using own = connected("own");
  expect(await own.initialize()).toMatchObject({ protocolVersion: 1 });
});
