/**
 * By these variables, whoever sets them has the loader and the C library load or write files in every program. Those that
 * glibc ignores in a program that has more rights than its caller; macOS does so with its own in programs of the system.
 */
const obeyed = new Set([
  "GCONV_PATH",
  "GETCONF_DIR",
  "GLIBC_TUNABLES",
  "HOSTALIASES",
  "LOCALDOMAIN",
  "LOCPATH",
  "MALLOC_TRACE",
  "NIS_PATH",
  "NLSPATH",
  "RESOLV_HOST_CONF",
  "RES_OPTIONS",
  "TZDIR",
]);

/** Whether a sandbox or a supervisor that got this variable from an agent could run the agent's code. */
export function isLoaderVariable(name: string): boolean {
  return obeyed.has(name) || /^LD_\w+$/.test(name);
}

/** The words of a program that gets these variables, while nothing that is started before it does. */
export function withVariables(
  words: readonly string[],
  variables: readonly (readonly [name: string, value: string])[],
): readonly string[] {
  if (variables.length === 0) return words;
  const given = variables.map(([name, value]) => `${name}=${value}`);
  // The shell is there because `env` takes a program with "=" in its path for a variable.
  return ["/usr/bin/env", ...given, "/bin/sh", "-c", 'exec "$@"', "sh", ...words];
}
