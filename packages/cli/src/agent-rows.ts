import type { AgentSummary } from "@landline/protocol";

type Shown = Pick<AgentSummary, "id" | "name" | "found" | "how" | "install">;

/** How each agent is started, or what would install it; where all of them were looked for is said once. */
export function agentRows(agents: readonly Shown[]): {
  readonly rows: readonly (readonly string[])[];
  readonly lookedIn: ReadonlySet<string>;
} {
  const lookedIn = new Set<string>();
  const rows = agents.map(({ id, name, found, how, install }) => {
    if (found) return [id, name, "yes", how];
    const { what, places } = readHow(how);
    if (places !== null) lookedIn.add(places);
    return [id, name, "no", install ?? what];
  });
  return { rows, lookedIn };
}

/** The gateway says in one sentence what was not found and where it was looked for. */
function readHow(how: string): { what: string; places: string | null } {
  const { what, places } =
    /^(?<what>.*): looked for .* in (?<places>the \d+ folders of the PATH and \d+ more \(.*\))\./.exec(
      how,
    )?.groups ?? {};
  if (what === undefined || places === undefined) return { what: how, places: null };
  return { what: `${what}: not found`, places };
}
