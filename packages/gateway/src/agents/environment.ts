import { markName } from "@landline/system/process-mark";

const ours = /^LANDLINE_/;
/** Variables of the `npm start` script, which would mislead an npm that the agent runs elsewhere. */
const ofOurScript =
  /^(?:npm_lifecycle_.*|npm_package_.*|npm_command|npm_config_local_prefix|INIT_CWD)$/;

/**
 * The user's environment without Landline's variables: agents need PATH, HOME and provider keys, but must not see the
 * gateway's token. Variables of the config (`added`) are not filtered.
 */
export function agentEnvironment(
  given: Readonly<Record<string, string | undefined>>,
  added: Readonly<Record<string, string>>,
  mark: string,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !ours.test(name) && !ofOurScript.test(name))
      environment[name] = value;
  }
  return { ...environment, ...added, [markName]: mark };
}
