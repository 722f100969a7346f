import { McpServer } from "@modelcontextprotocol/server";

/** A server with one tool, `grow`, which adds another tool and notifies the client. */
export function createChangingServer(): McpServer {
  const server = new McpServer({ name: "changing", version: "1.0.0" });
  let count = 0;
  server.registerTool("grow", { description: "Adds a tool" }, () => {
    count += 1;
    const name = `added-${count}`;
    server.registerTool(name, { description: "An added tool" }, () => ({
      content: [{ type: "text", text: name }],
    }));
    return { content: [{ type: "text", text: "grown" }] };
  });
  return server;
}
