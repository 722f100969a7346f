import type { CreateElicitationResponse, ElicitationSchema } from "@agentclientprotocol/sdk";
import type { McpElicitation, McpQuestion } from "../mcp/elicitation.ts";
import type { Client } from "./acp-client.ts";

type Answer = Awaited<ReturnType<McpElicitation["ask"]>>;

/** Forwards elicitation requests of MCP servers to the client; null when the client supports none. */
export function mcpElicitationOf(client: Client, sessionId: string): McpElicitation | null {
  const { form, url } = client.capabilities.elicitation ?? {};
  if (!form && !url) return null;
  return {
    capabilities: { ...(form && { form: {} }), ...(url && { url: {} }) },
    ask: async (question, signal) => toAnswer(await pass(client, sessionId, question, signal)),
  };
}

function pass(
  client: Client,
  sessionId: string,
  { server, params }: McpQuestion,
  signal: AbortSignal,
): Promise<CreateElicitationResponse> {
  // The user must see which server asks.
  const message = `${server}: ${params.message}`;
  if (params.mode === "url") {
    const { elicitationId, url } = params;
    return client.elicit({ mode: "url", sessionId, message, elicitationId, url }, signal);
  }
  const requestedSchema = toSchema(params.requestedSchema);
  return client.elicit({ mode: "form", sessionId, message, requestedSchema }, signal);
}

/** ACP has no `enumNames`, MCP's older form of labelled choices. */
function toSchema(schema: {
  properties: object;
  required?: string[] | undefined;
}): ElicitationSchema {
  const properties = Object.entries(schema.properties).map(([name, property]) => [
    name,
    withNamedChoices(property as Record<string, unknown>),
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(properties) as NonNullable<ElicitationSchema["properties"]>,
    ...(schema.required && { required: schema.required }),
  };
}

function withNamedChoices(property: Record<string, unknown>): Record<string, unknown> {
  const { enum: values, enumNames: names, ...rest } = property;
  if (!Array.isArray(values) || !Array.isArray(names)) return property;
  const choices = values.map((value: unknown, index) => ({
    const: value,
    title: String(names[index] ?? value),
  }));
  return { ...rest, oneOf: choices };
}

function toAnswer(response: CreateElicitationResponse): Answer {
  if (response.action !== "accept") {
    return { action: response.action === "decline" ? "decline" : "cancel" };
  }
  const content = "content" in response ? (response.content as Answer["content"] | null) : null;
  return { action: "accept", ...(content && { content }) };
}
