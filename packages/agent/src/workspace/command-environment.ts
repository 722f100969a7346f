import { isWithheldVariable } from "@landline/shell";
import { markName, markValue } from "@landline/system/process-mark";
import { keyVariablesIn } from "../withheld-keys.ts";

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

/** What a command gets: what every program inherits, what the caller adds, and the mark. */
export function commandEnvironment(
  given: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
  mark: string,
): Record<string, string> {
  return { ...inheritedEnvironment(given), ...added, [markName]: markValue(mark, given) };
}
