import { isWithheldVariable } from "@landline/shell";
import { markName, markValue } from "@landline/system/process-mark";
import { keyVariablesIn } from "../withheld-keys.ts";

/** The environment that every program inherits: without provider keys and Landline's own variables. */
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
 * Variables for a command in a terminal of the client. ACP cannot unset variables, so those with keys are set
 * to an empty string.
 */
export function terminalVariables(
  given: Readonly<Record<string, string | undefined>>,
  added: Readonly<Record<string, string>>,
): { name: string; value: string }[] {
  const emptied = Array.from(keyVariablesIn(given), (name) => [name, ""] as const);
  const variables = { ...Object.fromEntries(emptied), ...added };
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

/** The inherited environment, the caller's variables, and the mark that identifies its processes. */
export function commandEnvironment(
  given: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
  mark: string,
): Record<string, string> {
  return { ...inheritedEnvironment(given), ...added, [markName]: markValue(mark, given) };
}
