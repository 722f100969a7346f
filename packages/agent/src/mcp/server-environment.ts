import { inheritedEnvironment } from "../workspace/command-environment.ts";

/** Names of variables that hold secrets: a server gets those that its configuration names. */
const secretName = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i;

/**
 * What a server that is a program finds in its environment: the agent's own without its secrets, and what
 * the server's configuration names.
 */
export function serverEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  own: readonly { name: string; value: string }[],
): Record<string, string> {
  const inherited = Object.entries(inheritedEnvironment(environment)).filter(
    ([name]) => !secretName.test(name),
  );
  return { ...Object.fromEntries(inherited), ...pairs(own) };
}

export function pairs(list: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

/** Values of variables and headers, where a server or the system repeats them in its words. */
export function mask(text: string, secrets: readonly { value: string }[]): string {
  return secrets
    .map(({ value }) => value)
    .filter((value) => value.length >= 4)
    .toSorted((a, b) => b.length - a.length)
    .reduce((masked, value) => masked.replaceAll(value, "•••"), text);
}
