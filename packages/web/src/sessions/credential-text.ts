import type { AgentKey, AgentSummary } from "@landline/protocol";

/** Whether there is something to sign out of, as far as is known. */
export function hasSignIn({ canSignOut, signedIn, keys }: AgentSummary): boolean {
  if (canSignOut !== true) return false;
  return keys === null ? signedIn !== false : storedNames(keys).length > 0;
}

/** The credentials of an agent in one line. */
export function credentialText(keys: readonly AgentKey[]): string {
  const stored = storedNames(keys);
  const variables = variableNames(keys);
  const words = [
    ...(stored.length > 0 ? [`Stored keys: ${stored.join(", ")}`] : []),
    ...(variables.length > 0 ? [`From the environment: ${variables.join(", ")}`] : []),
  ];
  return words.length > 0 ? words.join(" · ") : "No keys";
}

/** What signing out deletes. */
export function signOutText({ name, keys }: Pick<AgentSummary, "name" | "keys">): string {
  if (keys === null)
    return `Your conversations stay. ${name} can't answer until someone signs in again. Its own program may be signed out too.`;
  const stored = storedNames(keys);
  const forgotten =
    stored.length === 1
      ? `The stored key of ${listOf(stored)} is deleted. ${name} can't use it`
      : `The stored keys of ${listOf(stored)} are all deleted. ${name} can't use them`;
  const variables = variableNames(keys);
  const left =
    variables.length > 0 ? ` Keys in the environment still apply: ${listOf(variables)}.` : "";
  return `Your conversations stay. ${forgotten} until someone signs in again.${left}`;
}

export function storedNames(keys: readonly AgentKey[]): string[] {
  return keys.filter(({ variable }) => variable === null).map(({ name }) => name);
}

function variableNames(keys: readonly AgentKey[]): string[] {
  return keys.flatMap(({ variable }) => variable ?? []);
}

function listOf(names: readonly string[]): string {
  return new Intl.ListFormat("en").format(names);
}
