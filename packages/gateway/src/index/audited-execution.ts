import type { Confinement, Execution } from "@landline/protocol";

const hostsTold = 20;
const decisionsTold = 5;

/** How a call was executed as the audit has it: short, so that nothing of it is cut. */
export function auditedExecution(execution: Execution): object {
  const { terminals: _terminals, agentConfinement: _agent, report, ...told } = execution;
  const { confinement } = execution;
  return {
    ...told,
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
