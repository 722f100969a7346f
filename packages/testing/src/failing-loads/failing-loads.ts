/** Environment variables for a Node process in which the first load of each of these modules fails. */
export function failingLoads(...modules: readonly string[]): Record<string, string> {
  const preload = new URL("preload.ts", import.meta.url);
  return {
    NODE_OPTIONS: `--import=${preload.href}`,
    LANDLINE_TEST_FAILING_LOADS: modules.join(" "),
  };
}
