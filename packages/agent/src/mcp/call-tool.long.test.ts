import type { McpServers } from "./mcp-servers.ts";
import { picture } from "@landline/testing/mcp-servers";
import { tmpdir } from "node:os";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { toolContext } from "../../test/config/tool-context.ts";
import { call, open, program, toolOf } from "../../test/mcp/servers.ts";

let shared: McpServers;

beforeAll(async () => {
  shared = open([program("tools")], { directories: ["/other"] });
  await shared.ready();
});

afterAll(() => shared.close());

it("asks differently for tools that may change something, and shows the server's annotations", async () => {
  const context = toolContext();
  await call(shared, "tools_change_things", {}, context);
  expect(context.asked[0]?.patterns).toEqual(["mcp:may-change"]);
  expect(JSON.stringify(context.asked[0]?.view)).toContain(
    "it may destroy data, it reaches beyond the agent’s machine",
  );
});

it("does not call a tool that was refused", async () => {
  const refusing = Object.assign(toolContext(), {
    ask: () => Promise.reject(new Error("refused")),
  });
  await expect(call(shared, "tools_die", {}, refusing)).rejects.toThrow("refused");
  expect(shared.status()[0]?.state).toBe("ready");
});

it("converts text, images, links and data", async () => {
  await expect(call(shared, "tools_mixed")).resolves.toMatchObject({
    output: [
      "words",
      "[image (image/png)]",
      "a.txt: file:///a.txt (A file)",
      '<resource uri="note://1">\na note\n</resource>',
    ].join("\n"),
    attachments: [{ mimeType: "image/png", data: picture }],
    content: [
      { content: { type: "text", text: "words" } },
      { content: { type: "image", data: picture } },
      { content: { type: "resource_link", uri: "file:///a.txt", name: "a.txt" } },
      { content: { type: "resource", resource: { uri: "note://1", text: "a note" } } },
    ],
  });
  await expect(call(shared, "tools_structured")).resolves.toMatchObject({
    output: '{\n  "sum": 3\n}',
  });
});

it("shows progress", async () => {
  const context = toolContext();
  await call(shared, "tools_steps", {}, context);
  expect(context.shown).toEqual([{ title: "steps: step 1" }, { title: "steps: step 2" }]);
});

it("fails with the server's message when the tool reports an error or refuses the input", async () => {
  await expect(call(shared, "tools_fail")).rejects.toMatchObject({
    reason: "mcp-server-error",
    message: "it broke",
  });
  await expect(call(shared, "tools_echo", { text: 5 })).rejects.toMatchObject({
    reason: "mcp-server-error",
  });
});

it("ends a call with the turn", async () => {
  const stop = new AbortController();
  const running = call(shared, "tools_wait", {}, toolContext(stop.signal));
  stop.abort(new Error("cancelled by the person"));
  await expect(running).rejects.toThrow("cancelled by the person");
  await expect(call(shared, "tools_echo", { text: "x" })).resolves.toMatchObject({ output: "x" });
});

it("answers a server's question with cancel if nobody can be asked", async () => {
  await expect(call(shared, "tools_question")).rejects.toMatchObject({
    reason: "mcp-server-error",
  });
});

it("reports the session's folders to a server", async () => {
  await expect(call(shared, "tools_folders")).resolves.toMatchObject({
    output: `${pathToFileURL(tmpdir()).href} file:///other`,
  });
});

it("connects to a program and offers its tools by full names", async () => {
  await using servers = open([program("tools")]);
  expect(servers.status()).toEqual([{ name: "tools", state: "connecting", tools: 0 }]);
  await servers.ready();
  expect(servers.status()).toEqual([{ name: "tools", state: "ready", tools: expect.any(Number) }]);
  const echo = toolOf(servers, "tools_echo");
  expect(echo).toMatchObject({
    description: "Says it again",
    permission: "tools_echo",
    kind: "other",
  });
  expect(z.toJSONSchema(echo.input)).toMatchObject({
    properties: { text: { type: "string", description: "What to say" } },
    required: ["text"],
  });
  const context = toolContext();
  await expect(echo.run({ text: "hi" }, context)).resolves.toMatchObject({
    output: "hi",
    title: "tools: Echo",
  });
  expect(context.asked).toMatchObject([
    { permission: "tools_echo", patterns: ["mcp:read-only"], always: ["*"] },
  ]);
});

it("fails a call without a response in time, and keeps the connection", async () => {
  await using servers = open([program("tools")], { limits: { callMs: 3_000, readyMs: 20_000 } });
  await servers.ready();
  await expect(call(servers, "tools_wait")).rejects.toMatchObject({ reason: "tool-timeout" });
  await expect(call(servers, "tools_echo", { text: "still here" })).resolves.toMatchObject({
    output: "still here",
  });
});

it("forwards elicitation, without counting the user's time", async () => {
  const limits = { callMs: 3_000, readyMs: 20_000 };
  await using others = open([program("tools")], { limits });
  await others.ready();
  const ask = vi.fn(async () => {
    // This call begins after the other one, so the limit of both is over when it fails.
    await expect(call(others, "tools_wait")).rejects.toMatchObject({ reason: "tool-timeout" });
    return { action: "accept" as const, content: { colour: "red" } };
  });
  const elicitation = { capabilities: { form: {} }, ask };
  await using servers = open([program("tools")], {
    elicitation,
    limits,
  });
  await servers.ready();
  await expect(call(servers, "tools_question")).resolves.toMatchObject({
    output: '{"action":"accept","content":{"colour":"red"}}',
  });
  expect(ask).toHaveBeenCalledWith(
    { server: "tools", params: expect.objectContaining({ message: "Which colour?" }) },
    expect.any(AbortSignal),
  );
});

it("passes a program its own variables and the environment without secrets", async () => {
  const server = program("tools", { env: [{ name: "OWN_TOKEN", value: "mine" }] });
  const environment = { ...process.env, PLAIN: "yes", SOME_API_KEY: "secret" };
  await using servers = open([server], { environment });
  await servers.ready();
  const value = async (name: string) =>
    (await call(servers, "tools_environment", { text: name })).output;
  await expect(
    Promise.all([value("OWN_TOKEN"), value("PLAIN"), value("SOME_API_KEY")]),
  ).resolves.toEqual(["mine", "yes", "not set"]);
});
