import { homedir } from "node:os";
import packageFacts from "../../../package.json" with { type: "json" };
import type { Services } from "../services.ts";
import type { Implementations } from "./operation.ts";

const { version } = packageFacts;

/** What a client can ask for before it relies on it. A tag never changes its meaning; new ones are added. */
const features = ["openapi-responses", "session-tokens", "strict-input"] as const;

/** The gateway itself, and who calls it. */
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

/** Made, with what makes it, when it is first requested. */
async function openapiText(services: Services): Promise<string> {
  const known = openapiTexts.get(services);
  if (known !== undefined) return known;
  const { openapi } = await import("../openapi.ts");
  const text = JSON.stringify(openapi(services.address.basePath));
  openapiTexts.set(services, text);
  return text;
}
