import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Home } from "./landline.ts";

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(() => home[Symbol.asyncDispose]());

const secrets = { env: "value-of-env", header: "value-of-header", argument: "value-of-argument" };

const mcpServers = [
  {
    name: "files",
    command: "true",
    args: ["--token", secrets.argument],
    env: [{ name: "PLAIN", value: secrets.env }],
  },
  {
    type: "http",
    name: "web",
    url: "https://example.invalid",
    headers: [{ name: "X-Plain", value: secrets.header }],
  },
];

/** The log of a gateway for one session, one prompt and one socket, and its token. */
async function logOf(level: string): Promise<{ log: Record<string, unknown>[]; token: string }> {
  const { running, url, token } = await home.serve("--log-level", level);
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return (await fetch(`${url}${path}`, init)).json() as Promise<{ sessionId: string }>;
  };
  const { sessionId } = await post("/api/sessions", {
    agent: "scripted",
    cwd: home.folder,
    mcpServers,
  });
  await post(`/api/sessions/${sessionId}/prompts`, { content: "hello" });
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws?token=${token}`, ["landline.v1"]);
  await once(socket, "open");
  socket.close();
  running.child.kill("SIGTERM");
  const { code, stderr } = await running.ended;
  expect(code).toBe(0);
  for (const secret of [token, ...Object.values(secrets)]) expect(stderr).not.toContain(secret);
  const lines = stderr.split("\n").filter((line) => line !== "");
  return { log: lines.map((line) => JSON.parse(line) as Record<string, unknown>), token };
}

test("at info, each request is a line, without messages and secrets", async () => {
  const { log } = await logOf("info");
  const [opened] = log;
  expect(opened).toMatchObject({ message: "request", method: "POST", path: "/api/sessions" });
  const sessionId = opened?.["sessionId"];
  expect(log).toContainEqual(
    expect.objectContaining({ path: `/api/sessions/${String(sessionId)}/prompts`, sessionId }),
  );
  expect(log).toContainEqual(expect.objectContaining({ path: "/ws", status: 101 }));
  expect(log.filter(({ message }) => String(message).startsWith("acp"))).toEqual([]);
});

test("at debug, each message to and from the agent is a line, with secrets masked", async () => {
  const { log } = await logOf("debug");
  const opening = {
    method: "session/new",
    id: 1,
    agent: "scripted",
    sessionId: expect.any(String),
  };
  expect(log).toContainEqual(expect.objectContaining({ message: "acp request", ...opening }));
  expect(log).toContainEqual(expect.objectContaining({ message: "acp response", ...opening }));
  const asked = log.find(({ method }) => method === "session/new");
  expect(asked?.["params"]).toMatchObject({ cwd: home.folder, mcpServers: [{ name: "files" }] });
});

test("at warn nothing is logged", async () => {
  expect((await logOf("warn")).log).toEqual([]);
});
