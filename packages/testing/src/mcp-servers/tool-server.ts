import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fromJsonSchema, McpServer, type CallToolResult } from "@modelcontextprotocol/server";

/** One red pixel. */
export const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const text = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });

const words = fromJsonSchema<{ text: string }>({
  type: "object",
  properties: { text: { type: "string", description: "What to say" } },
  required: ["text"],
});

/**
 * A server with a tool for every behaviour of tools: results of all kinds, failures, progress, questions, hanging
 * calls, crashes.
 */
export function createToolServer(): McpServer {
  const server = new McpServer({ name: "tools", version: "1.0.0" });
  server.registerTool(
    "echo",
    {
      title: "Echo",
      description: "Says it again",
      inputSchema: words,
      annotations: { readOnlyHint: true },
    },
    (input) => text(input.text),
  );
  server.registerTool(
    "change.things",
    { description: "Changes things", annotations: { destructiveHint: true, openWorldHint: true } },
    () => text("changed"),
  );
  server.registerTool("fail", { description: "Reports an error" }, () => ({
    ...text("it broke"),
    isError: true,
  }));
  addContentTools(server);
  addWaitingTools(server);
  addProcessTools(server);
  return server;
}

function addContentTools(server: McpServer): void {
  server.registerTool("mixed", { description: "Answers with content of all kinds" }, () => ({
    content: [
      { type: "text", text: "words" },
      { type: "image", data: picture, mimeType: "image/png" },
      { type: "resource_link", uri: "file:///a.txt", name: "a.txt", description: "A file" },
      { type: "resource", resource: { uri: "note://1", text: "a note", mimeType: "text/plain" } },
    ],
  }));
  server.registerTool(
    "structured",
    {
      description: "Answers with data",
      outputSchema: fromJsonSchema({ type: "object", properties: { sum: { type: "number" } } }),
    },
    () => ({ content: [], structuredContent: { sum: 3 } }),
  );
}

function addWaitingTools(server: McpServer): void {
  server.registerTool("wait", { description: "Never answers" }, async (context) => {
    await pause(600_000, undefined, { signal: context.mcpReq.signal }).catch(() => {});
    return text("waited");
  });
  server.registerTool("steps", { description: "Tells how far it is" }, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (const progress of [1, 2]) {
      if (progressToken === undefined) break;
      await context.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 2, message: `step ${progress}` },
      });
    }
    return text("done");
  });
  server.registerTool("question", { description: "Asks a question" }, async (context) => {
    const answer = await context.mcpReq.elicitInput({
      message: "Which colour?",
      requestedSchema: { type: "object", properties: { colour: { type: "string" } } },
    });
    return text(JSON.stringify(answer));
  });
  server.registerTool("folders", { description: "The client's folders" }, async () => {
    const { roots } = await server.server.listRoots();
    return text(roots.map((root) => root.uri).join(" "));
  });
}

function addProcessTools(server: McpServer): void {
  server.registerTool(
    "environment",
    { description: "The value of a variable", inputSchema: words },
    (input) => text(process.env[input.text] ?? "not set"),
  );
  server.registerTool("where", { description: "The server's folder and process" }, () =>
    text(JSON.stringify({ cwd: process.cwd(), pid: process.pid })),
  );
  server.registerTool("child", { description: "Starts a program that stays" }, () => {
    const child = spawn("sleep", ["600"], { stdio: "ignore" });
    return text(String(child.pid));
  });
  server.registerTool("die", { description: "Ends the server in the middle of the call" }, () => {
    process.stderr.write("something went badly wrong\n");
    return process.exit(7);
  });
}
