import { markName } from "@landline/system/process-mark";

const ours = /^LANDLINE_/;
/** What `npm start` adds for its own script, and what would mislead an npm that the agent runs elsewhere. */
const ofOurScript =
  /^(?:npm_lifecycle_.*|npm_package_.*|npm_command|npm_config_local_prefix|INIT_CWD)$/;

/**
 * The user's environment without anything of ours: agents need PATH, HOME and the keys of their
 * providers, and must not see the gateway's token. What the entry adds is the user's own word.
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
