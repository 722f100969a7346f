import { inheritedEnvironment } from "../workspace/command-environment.ts";

/** Variables that look like secrets. A server gets only those that its configuration names. */
const secretName = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i;

/** The environment of a stdio server: the agent's own without secrets, and the configured variables. */
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

/** Masks the values of variables and headers in error messages. */
export function mask(text: string, secrets: readonly { value: string }[]): string {
  return secrets
    .map(({ value }) => value)
    .filter((value) => value.length >= 4)
    .toSorted((a, b) => b.length - a.length)
    .reduce((masked, value) => masked.replaceAll(value, "•••"), text);
}
