import * as fs from "node:fs/promises";
import * as path from "node:path";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { GatewayProcess } from "./gateway-process.ts";

test("errors for the role watch contain no path of the data folder", async () => {
  await using gateway = await GatewayProcess.make({ agent: { turns: [{ steps: [] }] } });
  await gateway.start();
  const id = await gateway.openSession("agent");
  const wanted = { name: "a watcher", role: "watch" };
  const { token } = await gateway.json<{ token: string }>("POST", "/api/devices", wanted);
  await gateway.end("SIGTERM");
  const log = path.join(gateway.data, "sessions", id, "000000000001.ndjson");
  await fs.writeFile(log, "this is no log\n");
  await gateway.start();
  const port = gateway.network.target;

  const byHttp = async (by: string, address: string) => {
    const headers = { authorization: `Bearer ${by}`, accept: "application/json" };
    const reply = await fetch(`http://127.0.0.1:${port}/api/sessions/${id}${address}`, { headers });
    return reply.text();
  };
  const bySocket = async (by: string, protocol: string, command: object) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws?token=${by}`, [protocol]);
    const answer = await new Promise<string>((resolve, reject) => {
      socket.on("open", () => socket.send(JSON.stringify(command)));
      socket.on("message", (data: Buffer) => {
        const text = data.toString();
        if (text.includes("damaged") || text.includes("error")) resolve(text);
      });
      socket.on("error", reject);
    });
    socket.terminate();
    return answer;
  };
  const attach = { id: 1, type: "attach", sessionId: id, after: 0 };
  const load = { type: "load_session", sessionId: id };
  const ways = [
    (by: string) => byHttp(by, ""),
    (by: string) => byHttp(by, "/events"),
    (by: string) => byHttp(by, "/export"),
    (by: string) => bySocket(by, "landline.v1", attach),
    (by: string) => bySocket(by, "bridge.v1", load),
  ];
  for (const [index, way] of ways.entries()) {
    const told = await way(token);
    expect(told, `way ${index}`).toContain("header line");
    expect(told, `way ${index}`).not.toContain(gateway.folder);
  }
  // Clients that may act see the path, because they can repair it.
  expect(await byHttp(gateway.token, "")).toContain(log);
});
