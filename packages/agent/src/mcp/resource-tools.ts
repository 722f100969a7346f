import { readFileSync } from "node:fs";
import { z } from "zod";
import { protectedInput } from "../permission/protected-input.ts";
import { externalDirectoryRequests, targetPathOf, readRequest } from "../tools/target-path.ts";
import { ToolFailure, type Tool, type ToolContext } from "../tools/tool.ts";
import { withTimeout } from "./call-tool.ts";
import type { Connection } from "./connection.ts";
import { convertResource } from "./convert-result.ts";

/** Maximum resources in one result of `list_mcp_resources`. A note says how many are omitted. */
const listedResourcesMax = 500;

/** Empty unless a server has resources. */
export function resourceTools(connections: readonly Connection[]): Tool[] {
  const offering = connections.filter((connection) => connection.features.resources);
  return offering.length === 0 ? [] : [listTool(offering), readTool(offering)];
}

const listInput = z.object({ server: z.string().optional().describe("Name of one server") });

function listTool(connections: readonly Connection[]): Tool {
  const tool: Tool<z.infer<typeof listInput>> = {
    name: "list_mcp_resources",
    description: readText(new URL("./list-resources.md", import.meta.url)),
    input: listInput,
    kind: "read",
    permission: "list_mcp_resources",
    view: ({ server }) => ({
      title: server === undefined ? "List MCP resources" : `List MCP resources of ${server}`,
      locations: [],
      content: [],
    }),
    async run({ server }, context) {
      await context.ask({
        permission: "list_mcp_resources",
        patterns: [server ?? "*"],
        always: ["*"],
      });
      const asked = server === undefined ? connections : [find(connections, server)];
      const parts = await Promise.all(
        asked.map((connection) => listOne(connection, context.signal)),
      );
      return { output: parts.join("\n\n") };
    },
  };
  return tool;
}

/** A failing server is reported in its part of the list. */
async function listOne(connection: Connection, signal: AbortSignal): Promise<string> {
  const head = `Server ${connection.name}:`;
  try {
    const lines = await withTimeout(connection, `${connection.name}: resources`, signal, (stop) =>
      connection.use(stop, async (client) => {
        const { resources } = await client.listResources({}, { signal: stop });
        const { resourceTemplates } = await client.listResourceTemplates({}, { signal: stop });
        return [
          ...resources.map((one) => line(one.uri, one.name, one.description)),
          ...resourceTemplates.map((one) =>
            line(one.uriTemplate, `${one.name} (template)`, one.description),
          ),
        ];
      }),
    );
    if (lines.length === 0) return `${head} nothing`;
    const more = lines.length - listedResourcesMax;
    const note = more > 0 ? [`[${more} more are not listed]`] : [];
    return [head, ...lines.slice(0, listedResourcesMax), ...note].join("\n");
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolFailure) return `${head} ${error.message}`;
    throw error;
  }
}

function line(uri: string, name: string, description: string | undefined): string {
  return `- ${uri}: ${name}${description === undefined ? "" : `, ${description}`}`;
}

const readInput = z.object({
  server: z.string().describe("Name of the server"),
  uri: z.string().describe("Address of the resource"),
});

function readTool(connections: readonly Connection[]): Tool {
  const tool: Tool<z.infer<typeof readInput>> = {
    name: "read_mcp_resource",
    description: readText(new URL("./read-resource.md", import.meta.url)),
    input: readInput,
    kind: "read",
    permission: "read_mcp_resource",
    view: ({ server = "", uri = "" }) => ({
      title: `Read ${uri} of ${server}`,
      locations: [],
      content: [],
    }),
    async run({ server, uri }, context) {
      await askForFile(uri, context);
      await context.ask({
        permission: "read_mcp_resource",
        patterns: [uri],
        always: ["*"],
        ...(await protectedInput(uri, "read", context.workspace.cwd)),
      });
      const connection = find(connections, server);
      const result = await withTimeout(connection, `${server}: ${uri}`, context.signal, (stop) =>
        connection.use(stop, (client) => client.readResource({ uri }, { signal: stop })),
      );
      return convertResource(result);
    },
  };
  return tool;
}

/**
 * A server may read any file of this machine, so a `file:` URI needs the same permission as the read tool.
 */
async function askForFile(uri: string, context: ToolContext): Promise<void> {
  if (!/^file:/i.test(uri)) return;
  const file = await targetPathOf(uri, context.workspace);
  const outside = externalDirectoryRequests(file, {
    isFolder: false,
    title: `Read ${file.name}`,
    access: "read",
  });
  await context.ask(...outside, readRequest(file));
}

function find(connections: readonly Connection[], name: string): Connection {
  const found = connections.find((connection) => connection.name === name);
  if (found !== undefined) return found;
  const known = connections.map((connection) => connection.name).join(", ");
  throw new ToolFailure(
    "tool-failed",
    `No MCP server "${name}" has resources. Those that have: ${known}.`,
  );
}

function readText(file: URL): string {
  return readFileSync(file, "utf8").trim();
}
