/**
 * Variables that make the loader and the C library load or write files in every program: those that glibc ignores in
 * set-user-id programs. macOS ignores its own in system programs.
 */
const loaderVariables = new Set([
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

/** Whether this variable of an agent could make a sandbox or a supervisor run the agent's code. */
export function isLoaderVariable(name: string): boolean {
  return loaderVariables.has(name) || /^LD_\w+$/.test(name);
}

/** A command that sets these variables only for the program itself, not for the wrappers that start it. */
export function withVariables(
  words: readonly string[],
  variables: readonly (readonly [name: string, value: string])[],
): readonly string[] {
  if (variables.length === 0) return words;
  const given = variables.map(([name, value]) => `${name}=${value}`);
  // The shell is needed because `env` treats a program path with "=" as a variable.
  return ["/usr/bin/env", ...given, "/bin/sh", "-c", 'exec "$@"', "sh", ...words];
}
