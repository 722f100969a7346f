/** The variable by which everything that an agent starts can be found, whatever becomes of its parents. */
export const markName = "LANDLINE_AGENT_MARK";

/** The data folder of the gateway, which our own agent hides from the commands that it confines. */
export const dataName = "LANDLINE_GATEWAY_DATA";

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

/**
 * The mark to set, for an agent with this id. A gateway that was itself started by an agent of another
 * one carries that agent's mark, and so does what it starts: both find it.
 */
export function markFor(id: string, given: Readonly<Record<string, string | undefined>>): string {
  const inherited = given[markName];
  return inherited === undefined ? id : `${inherited}:${id}`;
}

/** The marks in the text of a process's environment, as /proc shows it. */
export function marksIn(environ: string): readonly string[] {
  const start = `${markName}=`;
  const found = environ.split("\0").find((variable) => variable.startsWith(start));
  return found === undefined ? [] : found.slice(start.length).split(":");
}
