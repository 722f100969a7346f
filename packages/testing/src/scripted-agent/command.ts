import { fileURLToPath } from "node:url";

/** The command and arguments that start the scripted agent on stdio. */
export function scriptedAgentCommand(
  scenarioPath: string,
  options: { readonly state?: string } = {},
): { readonly command: string; readonly args: readonly string[] } {
  const program = fileURLToPath(new URL("main.ts", import.meta.url));
  const state = options.state === undefined ? [] : ["--state", options.state];
  return { command: process.execPath, args: [program, "--scenario", scenarioPath, ...state] };
}

/** The path of a shipped scenario. */
export function shippedScenario(name: string): string {
  return fileURLToPath(new URL(`../../scenarios/${name}.json`, import.meta.url));
}
