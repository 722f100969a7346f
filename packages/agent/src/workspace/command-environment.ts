/** By this variable, everything that a command starts is found, wherever it went. */
const markName = "LANDLINE_AGENT_MARK";

/** What this program sets for itself. */
const ours = /^(?:LANDLINE_.*|AI_SDK_LOG_WARNINGS)$/;

/**
 * What a command gets: the user's whole environment, keys included, because their commands expect it;
 * nothing that is ours; what the caller adds; and the mark. A mark that we were started with stays in
 * front of it, so that whoever started us finds the command too.
 */
export function commandEnvironment(
  given: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
  mark: string,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !ours.test(name)) environment[name] = value;
  }
  const inherited = given[markName];
  return {
    ...environment,
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
