import { isWithheldVariable } from "@landline/shell";
import { keyVariablesIn } from "../withheld-keys.ts";

/** By this variable, everything that a command starts is found, wherever it went. */
const markName = "LANDLINE_AGENT_MARK";

/** The environment without keys of model providers and without anything of Landline: what every program inherits. */
export function inheritedEnvironment(
  given: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  const keyVariables = keyVariablesIn(given);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || keyVariables.has(name) || isWithheldVariable(name)) continue;
    if (name !== "AI_SDK_LOG_WARNINGS") environment[name] = value;
  }
  return environment;
}

/**
 * What is added for a command in a terminal of the client. The client often has the same variables as we do, and ACP
 * can't remove one: those that hold keys are set to nothing.
 */
export function terminalVariables(
  given: Readonly<Record<string, string | undefined>>,
  added: Readonly<Record<string, string>>,
): { name: string; value: string }[] {
  const emptied = Array.from(keyVariablesIn(given), (name) => [name, ""] as const);
  const variables = { ...Object.fromEntries(emptied), ...added };
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

/**
 * What a command gets: what every program inherits, what the caller adds, and the mark. A mark that we were started with
 * stays in front of it, so that whoever started us finds the command too.
 */
export function commandEnvironment(
  given: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
  mark: string,
): Record<string, string> {
  const inherited = given[markName];
  return {
    ...inheritedEnvironment(given),
    ...added,
    [markName]: inherited === undefined ? mark : `${inherited}:${mark}`,
  };
}

/** The marks in a process's environment, as /proc shows it. */
export function marksIn(environ: string): string[] {
  const start = `${markName}=`;
  const found = environ.split("\0").find((variable) => variable.startsWith(start));
  return found === undefined ? [] : found.slice(start.length).split(":");
}
