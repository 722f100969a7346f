import type { AgentSummary } from "@landline/protocol";

type Shown = Pick<AgentSummary, "id" | "name" | "found" | "how" | "install">;

/** How each agent is started, or how to install it. The searched places are listed once. */
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

/** The gateway reports in one sentence what it did not find and where it searched. */
function readHow(how: string): { what: string; places: string | null } {
  const { what, places } =
    /^(?<what>.*): looked for .* in (?<places>the \d+ folders of the PATH and \d+ more \(.*\))\./.exec(
      how,
    )?.groups ?? {};
  if (what === undefined || places === undefined) return { what: how, places: null };
  return { what: `${what}: not found`, places };
}
