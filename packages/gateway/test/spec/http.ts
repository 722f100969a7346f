import type { ScriptedGateway } from "../sessions/scripted-gateway.ts";

/** A request to the gateway over HTTP, with the token. */
export async function ask(gateway: ScriptedGateway, method: string, path: string, body?: unknown) {
  const { url, token } = gateway;
  const answer = await fetch(new URL(`/api${path}`, url), {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: answer.status, retryAfter: answer.headers.get("retry-after"), json };
}

export async function openByHttp(gateway: ScriptedGateway, more: object = {}): Promise<string> {
  const body = { agent: "agent", cwd: gateway.project, ...more };
  const { status, json } = await ask(gateway, "POST", "/sessions", body);
  if (status !== 201)
    throw new Error(`Opening was answered with ${status}: ${String(json["message"])}`);
  return String(json["sessionId"]);
}
