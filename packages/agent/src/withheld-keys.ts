import { isProviderKeyVariable, keyIn, providerKeysOf } from "@landline/shell/provider-keys";

type Environment = Readonly<Record<string, string | undefined>>;

// Global like the environment: a session must not pass on a key that only another one uses.
const names = new Set<string>();
const keys = new Set<string>();

/** Never withheld: programs need them, even if a provider's header refers to one. */
const neededByPrograms = new Set(
  "PATH HOME USER LOGNAME SHELL PWD LANG TERM TMPDIR SYSTEMROOT COMSPEC TEMP TMP".split(" "),
);

/** Programs will not inherit the variable, nor its value under another name. */
export function withholdVariable(name: string, value: string): void {
  const upper = name.toUpperCase();
  if (neededByPrograms.has(upper)) return;
  names.add(upper);
  withholdKey(value);
}

/** Programs will not inherit variables with this value. */
export function withholdKey(value: string): void {
  const key = keyIn(value);
  if (key !== null) keys.add(key);
}

/** Variables that contain a provider's key, by name or by value. */
export function keyVariablesIn(environment: Environment): Set<string> {
  const all = new Set([...keys, ...providerKeysOf(environment)]);
  const held = Object.entries(environment).filter(
    ([name, value = ""]) =>
      isProviderKeyVariable(name) || names.has(name.toUpperCase()) || all.has(value.trim()),
  );
  return new Set(held.map(([name]) => name));
}
