import type { Credentials } from "./credentials.ts";
import { displayName, knownProviders } from "./known-providers.ts";
import type { Environment } from "./provider-settings.ts";

/** That there is a key, and where it is from: never the key. */
export interface HeldKey {
  /** The provider's id, and what people call it. */
  provider: string;
  name: string;
  /** The variable of the environment that it stands in; a key without one is stored. */
  variable?: string;
}

/** The stored keys, and those of the environment. */
export function heldKeys(
  credentials: Pick<Credentials, "providers">,
  environment: Environment,
): HeldKey[] {
  const stored = credentials.providers();
  return [
    ...stored.map((provider) => ({ provider, name: displayName(provider) })),
    ...environmentKeys(environment),
  ];
}

export function environmentKeys(environment: Environment): Required<HeldKey>[] {
  return knownProviders.flatMap(({ id: provider, name, keyVariables }) =>
    keyVariables
      .filter((variable) => environment[variable]?.trim())
      .map((variable) => ({ provider, name, variable })),
  );
}
