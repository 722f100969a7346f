import type { EnvVariable } from "@agentclientprotocol/sdk";
import { isSecretVariable, isWithheldVariable } from "@landline/shell";
import { providerKeysOf } from "@landline/shell/provider-keys";
import { LandlineError } from "@landline/protocol";
import { markName } from "@landline/system/process-mark";

/**
 * The gateway's environment with the agent's variables on top, both without keys of model providers (under any name) and
 * variables of Landline, plus the mark. Some agents pass on their whole environment.
 */
export function terminalEnvironment(
  own: NodeJS.ProcessEnv,
  wished: readonly EnvVariable[],
  mark: string | undefined,
): Record<string, string> {
  const environment: Record<string, string> = {};
  const wishes = Object.fromEntries(wished.map(({ name, value }) => [name, value]));
  const keys = new Set([...providerKeysOf(own), ...providerKeysOf(wishes)]);
  const isWithheld = (name: string, value: string) =>
    isWithheldVariable(name) || keys.has(value.trim());
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && !isWithheld(name, value)) environment[name] = value;
  }
  for (const { name, value } of wished) {
    if (name === "" || /[=\0]/.test(name) || value.includes("\0")) {
      throw new LandlineError("invalid-params", {
        message: "env contains a variable with an invalid name or value.",
      });
    }
    if (!isWithheld(name, value)) environment[name] = value;
  }
  if (mark === undefined) delete environment[markName];
  else environment[markName] = mark;
  return environment;
}

/** Without the secrets that come from the gateway's environment. Those that the agent sets itself stay. */
export function withoutSecrets(
  environment: Readonly<Record<string, string>>,
  own: NodeJS.ProcessEnv,
): Record<string, string> {
  const isKept = ([name, value]: readonly [string, string]) =>
    own[name] !== value || !isSecretVariable(name, value);
  return Object.fromEntries(Object.entries(environment).filter(isKept));
}
