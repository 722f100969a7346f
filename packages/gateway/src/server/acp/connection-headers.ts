import { randomUUID } from "node:crypto";

export const connectionIdHeader = "acp-connection-id";

/** Names this process, so that a proxy in front of several gateways can send a client to the same one again. */
const route = randomUUID();

/** Headers of the response that opens a connection. The cookie is no credential. */
export function connectionHeaders(id: string, basePath: string): Readonly<Record<string, string>> {
  return {
    [connectionIdHeader]: id,
    "set-cookie": `landline-route=${route}; Path=${basePath}/acp; HttpOnly; SameSite=Strict`,
  };
}
