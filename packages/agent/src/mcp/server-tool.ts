import type { Tool as McpTool } from "@modelcontextprotocol/client";
import { toolPatterns } from "../config/default-rules.ts";
import { externalToolInput, type ExternalToolInput } from "../config/external-tool-input.ts";
import { mcpLimits } from "../limits.ts";
import { protectedInput } from "../permission/protected-input.ts";
import { textContent, ToolFailure, type Tool } from "../tools/tool.ts";
import { callTool } from "./call-tool.ts";
import type { Connection } from "./connection.ts";
import { convertResult } from "./convert-result.ts";

/** Maximum size of a tool's schema. A tool with a larger one is omitted. */
const schemaCharacters = 65_536;

/** Converts a tool of a server; null when its schema is too large. */
export function toTool(connection: Connection, tool: McpTool, name: string): Tool | null {
  if (JSON.stringify(tool.inputSchema).length > schemaCharacters) return null;
  const title = `${connection.name}: ${tool.annotations?.title ?? tool.title ?? tool.name}`;
  const readOnly = tool.annotations?.readOnlyHint === true;
  const converted: Tool<ExternalToolInput> = {
    name,
    description: (tool.description ?? title).slice(0, mcpLimits.descriptionCharacters),
    input: externalToolInput(tool.inputSchema),
    kind: "other",
    permission: name,
    view: () => ({ title, locations: [], content: [] }),
    async run(input, context) {
      await context.ask({
        permission: name,
        patterns: [readOnly ? toolPatterns.mcpReadOnly : toolPatterns.mcpMayChange],
        always: ["*"],
        ...(await protectedInput(input, readOnly ? "read" : "edit", context.workspace.cwd)),
        view: { title, content: textContent(hints(connection, tool, input)) },
      });
      const result = await callTool(connection, tool, input, context);
      const { output, attachments, content } = convertResult(result);
      if (result.isError === true) {
        throw new ToolFailure(
          "mcp-server-error",
          output === "" ? `${title} failed and said nothing more.` : output,
        );
      }
      return { output, attachments, content, title };
    },
  };
  return converted;
}

/** What the user sees in the permission request: the call, and what the server says about the tool. */
function hints(
  connection: Connection,
  { name, annotations = {} }: McpTool,
  input: ExternalToolInput,
): string {
  const said = [
    annotations.readOnlyHint === true && "it only reads",
    annotations.readOnlyHint !== true &&
      annotations.destructiveHint === true &&
      "it may destroy data",
    annotations.readOnlyHint !== true &&
      annotations.destructiveHint === false &&
      "it adds and destroys nothing",
    annotations.openWorldHint === true && "it reaches beyond the agent’s machine",
  ].filter((hint) => hint !== false);
  const about = said.length === 0 ? "" : `\n\nThe server says of it: ${said.join(", ")}.`;
  return `${name} of the MCP server "${connection.name}" with\n\n${JSON.stringify(input, null, 2)}${about}`;
}
