import { homedir } from "node:os";
import packageFacts from "../../../package.json" with { type: "json" };
import type { Services } from "../services.ts";
import type { Implementations } from "./operation.ts";

const { version } = packageFacts;

/** Feature tags that a client can check. The meaning of a tag never changes. */
const features = ["openapi-responses", "session-tokens", "strict-input"] as const;

/** The gateway itself, and the caller. */
export const gatewayOperations = {
  health: (_input, { services }) => ({ status: "ok", version, limits: services.profile }),
  "read-features": () => ({ version, features }),
  "read-me": (_input, { principal: { clientId, role, onlySession }, services }) => ({
    clientId,
    role,
    ...(onlySession === undefined
      ? { people: services.tokens.names, rulesDamage: services.rules.damage }
      : {
          session: onlySession,
          people: services.tokens.namesIn(onlySession),
          rulesDamage: null,
        }),
    cwd: process.cwd(),
    home: homedir(),
    version,
  }),
  "read-openapi": async (_input, { services, request }) =>
    request.body(await openapiText(services), 200, { "content-type": "application/json" }),
  "read-metrics": async (_input, { services: { metrics }, request }) =>
    request.body(await metrics.render(), 200, { "content-type": metrics.contentType }),
} satisfies Partial<Implementations>;

const openapiTexts = new WeakMap<Services, string>();

/** Generated on the first request. */
async function openapiText(services: Services): Promise<string> {
  const known = openapiTexts.get(services);
  if (known !== undefined) return known;
  const { openapi } = await import("../openapi.ts");
  const text = JSON.stringify(openapi(services.address.basePath));
  openapiTexts.set(services, text);
  return text;
}
