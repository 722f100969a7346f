import { z } from "zod";
import { normaliseMcpServers } from "../compat/normalise/mcp-servers.ts";
import { bounds, id, list, meta, url, value } from "./fields.ts";

const pairs = list(z.looseObject({ name: id, value, _meta: meta }), {
  most: bounds.valuesPerMcpServer,
});

const remote = <Type extends string>(type: Type) =>
  z.looseObject({ type: z.literal(type), name: id, url, headers: pairs, _meta: meta });

/** Many write a `type` where ACP wants none. */
const otherType = z.string().refine((type) => type !== "http" && type !== "sse", {
  error: "must be absent, or the url be given",
});

/** ACP v1's three kinds; a stdio server has no `type`. */
const mcpServerSchema = z.union([
  remote("http"),
  remote("sse"),
  z.looseObject({
    type: otherType.exactOptional(),
    name: id,
    command: url,
    args: list(value, { most: bounds.valuesPerMcpServer }),
    env: pairs,
    _meta: meta,
  }),
]);

export const mcpServersSchema = list(mcpServerSchema, {
  most: bounds.mcpServersPerSession,
  understand: (mcpServers) => normaliseMcpServers({ mcpServers }, "optional")["mcpServers"],
});
