/**
 * All processes of an agent or a command inherit this variable, so that they are found even if their parents have
 * exited.
 */
export const markName = "LANDLINE_AGENT_MARK";

/** Names the data folder of the gateway, which the built-in agent hides from confined commands. */
export const gatewayDataName = "LANDLINE_GATEWAY_DATA";

/**
 * The value of the variable for this mark. Inherited marks stay, so that the parent gateway also finds these processes.
 */
export function markValue(
  mark: string,
  given: Readonly<Record<string, string | undefined>>,
): string {
  const inherited = given[markName];
  return inherited === undefined ? mark : `${inherited}:${mark}`;
}

/** The marks in the content of `/proc/PID/environ`. */
export function marksIn(environ: string): readonly string[] {
  const start = `${markName}=`;
  const found = environ.split("\0").find((variable) => variable.startsWith(start));
  return found === undefined ? [] : found.slice(start.length).split(":");
}
