/** Everything that an agent or a command starts inherits this variable, so it is found whatever becomes of its parents. */
export const markName = "LANDLINE_AGENT_MARK";

/** Names the data folder of the gateway, which our own agent hides from the commands that it confines. */
export const gatewayDataName = "LANDLINE_GATEWAY_DATA";

/**
 * The value to set for this mark. Marks that this process was started with stay in front of it, so that whoever started us
 * finds what we start too.
 */
export function markValue(
  mark: string,
  given: Readonly<Record<string, string | undefined>>,
): string {
  const inherited = given[markName];
  return inherited === undefined ? mark : `${inherited}:${mark}`;
}

/** The marks in the text of an environment, as `/proc/PID/environ` has it. */
export function marksIn(environ: string): readonly string[] {
  const start = `${markName}=`;
  const found = environ.split("\0").find((variable) => variable.startsWith(start));
  return found === undefined ? [] : found.slice(start.length).split(":");
}
