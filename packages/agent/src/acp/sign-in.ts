import type { AuthMethod, ClientCapabilities, RequestId } from "@agentclientprotocol/sdk";
import { RequestError } from "@agentclientprotocol/sdk/unstable";
import type { Client } from "./acp-client.ts";
import { invalidParams } from "./errors.ts";
import type { AgentHost, Keys } from "./agent-host.ts";

const KEY = "api-key";
const TERMINAL = "login";

/** The sign-in methods; one in a terminal only if the client can open a terminal. */
export function signInMethods(capabilities: ClientCapabilities): AuthMethod[] {
  const methods: AuthMethod[] = [
    {
      id: KEY,
      name: "API key",
      description: "Enter a provider's key, or set it in the environment and try again",
    },
  ];
  const args = ["login"];
  const login = {
    id: TERMINAL,
    name: "Sign in in a terminal",
    description: "Choose a provider and enter its key",
  };
  if (capabilities.auth?.terminal) return [...methods, { type: "terminal", ...login, args }];
  // Editors that predate ACP's terminal method read this block and start the command themselves.
  if (capabilities._meta?.["terminal-auth"] === true) {
    const command = process.argv[0] ?? "landline";
    const again = [...process.execArgv, ...process.argv.slice(1), ...args];
    const meta = { command, args: again, label: login.name };
    return [...methods, { ...login, _meta: { "terminal-auth": meta } }];
  }
  return methods;
}

/** The available keys for `_meta`: which of them a sign-out would delete. */
export async function keysMeta(
  host: Pick<AgentHost, "availableKeys">,
): Promise<Record<string, unknown>> {
  return { "landline/keys": await host.availableKeys() };
}

/** Resolves when a model can be used; otherwise throws an error that says what is missing. */
export async function signIn(
  client: Client,
  keys: Keys,
  methodId: string,
  requestId: RequestId,
  signal: AbortSignal,
): Promise<void> {
  if (methodId !== KEY && methodId !== TERMINAL) {
    throw invalidParams(`There is no sign-in method ${methodId}.`, "unknown-method");
  }
  await keys.reload();
  if (methodId === KEY && client.capabilities.elicitation?.form) {
    await askForKey(client, keys, requestId, signal);
  }
  if (keys.hasModel()) return;
  throw RequestError.authRequired(
    { reason: "sign-in-needed" },
    "No key was found. Set one in the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY, …) or run `landline agent login`.",
  );
}

async function askForKey(
  client: Client,
  keys: Keys,
  requestId: RequestId,
  signal: AbortSignal,
): Promise<void> {
  const providers = keys.providers();
  const response = await client.elicit(
    {
      mode: "form",
      requestId,
      message: "Which provider's models do you want to use, and what is your key?",
      requestedSchema: {
        type: "object",
        properties: {
          provider: {
            type: "string",
            title: "Provider",
            oneOf: providers.map(({ id, name }) => ({ const: id, title: name })),
          },
          key: { type: "string", title: "API key", minLength: 8 },
        },
        required: ["provider", "key"],
      },
    },
    signal,
  );
  if (response.action !== "accept" || !("content" in response)) {
    throw RequestError.requestCancelled({ reason: "cancelled" }, "Nobody entered a key.");
  }
  const { provider, key } = (response.content ?? {}) as Record<string, unknown>;
  const isKnown = providers.some(({ id }) => id === provider);
  if (typeof provider !== "string" || typeof key !== "string" || !isKnown || key.trim() === "") {
    throw invalidParams("A provider from the list and its key are required.", "bad-request");
  }
  await keys.store(provider, key);
}
