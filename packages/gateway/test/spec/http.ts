import type { ScriptedGateway } from "../sessions/scripted-gateway.ts";

/** A request to the gateway over HTTP, with the token. */
export async function ask(house: ScriptedGateway, method: string, path: string, body?: unknown) {
  const { url, token } = house.gateway;
  const answer = await fetch(new URL(`/api${path}`, url), {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: answer.status, retryAfter: answer.headers.get("retry-after"), json };
}

export async function openByHttp(house: ScriptedGateway, more: object = {}): Promise<string> {
  const body = { agent: "agent", cwd: house.project, ...more };
  const { status, json } = await ask(house, "POST", "/sessions", body);
  if (status !== 201)
    throw new Error(`Opening was answered with ${status}: ${String(json["message"])}`);
  return String(json["sessionId"]);
}
