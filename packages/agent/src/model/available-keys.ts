import type { Credentials } from "./credentials.ts";
import { displayName, knownProviders } from "./known-providers.ts";
import type { Environment } from "./provider-settings.ts";

/** A key that exists, with its source; never the key itself. */
export interface AvailableKey {
  /** The provider's id and display name. */
  provider: string;
  name: string;
  /** The environment variable that contains it; absent for a stored key. */
  variable?: string;
}

export function availableKeys(
  credentials: Pick<Credentials, "providers">,
  environment: Environment,
): AvailableKey[] {
  const stored = credentials.providers();
  return [
    ...stored.map((provider) => ({ provider, name: displayName(provider) })),
    ...environmentKeys(environment),
  ];
}

export function environmentKeys(environment: Environment): Required<AvailableKey>[] {
  return knownProviders.flatMap(({ id: provider, name, keyVariables }) =>
    keyVariables
      .filter((variable) => environment[variable]?.trim())
      .map((variable) => ({ provider, name, variable })),
  );
}
