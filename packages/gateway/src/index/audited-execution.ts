import type { Confinement, Execution } from "@landline/protocol";

const hostsTold = 20;
const decisionsTold = 5;

/** The execution for the audit: short enough that nothing is cut. */
export function auditedExecution(execution: Execution): object {
  const { terminals: _terminals, agentConfinement: _agent, report, ...rest } = execution;
  const { confinement } = execution;
  return {
    ...rest,
    ...(confinement ? { confinement: withFewHosts(confinement) } : {}),
    ...(report ? { report: { ...report, confinement: null } } : {}),
    decisions: execution.decisions.slice(-decisionsTold),
  };
}

function withFewHosts(confinement: Confinement): Confinement {
  const { network } = confinement;
  return typeof network === "string" || network.length <= hostsTold
    ? confinement
    : { ...confinement, network: network.slice(0, hostsTold) };
}
