import { isProviderKeyVariable } from "./provider-keys.ts";

/** Whether commands must not inherit a variable: keys of model providers, and Landline's own variables. */
export function isWithheldVariable(name: string): boolean {
  return isProviderKeyVariable(name) || name.toUpperCase().startsWith("LANDLINE_");
}

/** Whether a variable looks like a secret, by its name or because its value is a URL with a password. */
export function isSecretVariable(name: string, value: string): boolean {
  return secretName.test(name) || /:\/\/[^/\s:@]*:[^/\s@]+@/.test(value);
}

const secretName =
  /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY/i;

/** Settings that override those of the repository. */
const gitSettings: readonly (readonly [name: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  // A folder without hooks.
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["log.showSignature", "false"],
  // git diff writes the index otherwise, whatever GIT_OPTIONAL_LOCKS says.
  ["diff.autoRefreshIndex", "false"],
  // `diff` would run git in each submodule, with the settings that the submodule has.
  ["diff.submodule", "short"],
  // Ignore bare repositories inside a project.
  ["safe.bareRepository", "explicit"],
];

/** The settings as variables for git, after those that the environment already contains. */
export function gitSettingVariables(
  inherited: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const first = Number.parseInt(inherited["GIT_CONFIG_COUNT"] ?? "", 10) || 0;
  const entries = gitSettings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, name],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    ...Object.fromEntries(entries),
    GIT_CONFIG_COUNT: String(first + gitSettings.length),
  };
}

/**
 * Added to the environment of a line that runs without permission: git then starts no file monitor, hook or pager,
 * fetches no missing objects, asks for no password and takes no lock, and Node writes no cache.
 */
export const harmlessEnvironment: Readonly<Record<string, string>> = {
  ...gitSettingVariables(process.env),
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  // Forbids all protocols, for versions of git that do not know the variable above.
  GIT_ALLOW_PROTOCOL: "none",
  // Otherwise npm stores compiled code in the temporary folder.
  NODE_DISABLE_COMPILE_CACHE: "1",
};
