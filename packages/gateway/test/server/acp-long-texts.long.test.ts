import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { Persona } from "@landline/testing";
import { expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import type { SessionLog } from "../../src/log/log.ts";
import { ScriptedGateway } from "../sessions/scripted-gateway.ts";

const LENGTH = 2_000_000;
const COUNT = 12;

const hasText = (message: object) => JSON.stringify(message).length > LENGTH;

test("long texts that exceed the buffers are all sent to a client that reads slowly", async () => {
  await using gateway = await ScriptedGateway.open(
    { agent: {} },
    { agentOutboxBytes: 1_000_000, agentOutboxBytesMax: 8_000_000 },
  );
  const session = await gateway.openSession("agent");
  const content = { type: "text", text: "x".repeat(LENGTH) };
  const update = { sessionUpdate: "agent_message_chunk", content };
  for (let count = 0; count < COUNT; count++)
    (session.log as SessionLog).append([{ kind: "update", update }]);
  const texts = vi.spyOn(session.log, "blob");
  const sockets: WebSocket[] = [];
  await using persona = new Persona("full");
  persona.connect(
    createWebSocketStream(`${gateway.url.replace("http", "ws")}/acp?agent=agent`, {
      headers: { authorization: `Bearer ${gateway.token}` },
      WebSocket: class extends WebSocket {
        constructor(...given: ConstructorParameters<typeof WebSocket>) {
          super(...given);
          sockets.push(this);
        }
      },
    }),
  );
  await persona.initialize();
  for (const socket of sockets) socket.pause();
  const load = persona.load(session.id, gateway.project);
  // The gateway has time to read all texts, and must not.
  for (let asked = 0; asked < 100 && texts.mock.calls.length < COUNT; asked++)
    await fetch(`${gateway.url}/health`);
  for (const socket of sockets) socket.resume();
  await load;
  expect(persona.wire.updates().filter(hasText)).toHaveLength(COUNT);
});
