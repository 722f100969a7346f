import { operations, type AgentSummary, type Role } from "@landline/protocol";
import { hasRole } from "./roles.ts";

/**
 * The agents as this role may see them. Details of a sign-in are only for roles that may take part, because its URL and
 * the agent's messages may contain codes. Only roles that may sign out see which keys exist.
 */
export function visibleAgents(
  agents: readonly AgentSummary[],
  role: Role,
): readonly AgentSummary[] {
  return hasRole(role, operations["list-agents"].parts.signInDetails)
    ? agents
    : agents.map(forOthers);
}

function forOthers(agent: AgentSummary): AgentSummary {
  const isSigningIn = agent.progress?.what === "sign-in";
  return {
    ...agent,
    keys: null,
    ...(isSigningIn && { progress: { what: "sign-in", message: "Somebody is signing in." } }),
  };
}
