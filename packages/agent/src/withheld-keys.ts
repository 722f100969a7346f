import { isProviderKeyVariable, keyIn, providerKeysOf } from "@landline/shell/provider-keys";

type Environment = Readonly<Record<string, string | undefined>>;

// For the whole process, as its environment is: a session that uses no such key must not pass it on either.
const names = new Set<string>();
const keys = new Set<string>();

/** They hold no keys, and programs need them, also where a header of a provider mentions one. */
const neededByPrograms = new Set(
  "PATH HOME USER LOGNAME SHELL PWD LANG TERM TMPDIR SYSTEMROOT COMSPEC TEMP TMP".split(" "),
);

/** From now on, no program inherits the variable, nor its value under another name. */
export function withholdVariable(name: string, value: string): void {
  const upper = name.toUpperCase();
  if (neededByPrograms.has(upper)) return;
  names.add(upper);
  withholdKey(value);
}

/** From now on, no program inherits a variable with this value. */
export function withholdKey(value: string): void {
  const key = keyIn(value);
  if (key !== null) keys.add(key);
}

/** The variables of an environment that hold a key of a model provider, by their name or their value. */
export function keyVariablesIn(environment: Environment): Set<string> {
  const all = new Set([...keys, ...providerKeysOf(environment)]);
  const held = Object.entries(environment).filter(
    ([name, value = ""]) =>
      isProviderKeyVariable(name) || names.has(name.toUpperCase()) || all.has(value.trim()),
  );
  return new Set(held.map(([name]) => name));
}
