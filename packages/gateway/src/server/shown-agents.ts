import { operations, type AgentSummary, type Role } from "@landline/protocol";
import { hasRole } from "./roles.ts";

/**
 * The agents as this one may see them. How a sign-in goes is for those who can take part in it: its page may be
 * opened by whoever has its address, and what the agent says may hold a code. Others see that there is one. Nor
 * are they told which keys there are: only who may sign out has a use for it.
 */
export function shownAgents(agents: readonly AgentSummary[], role: Role): readonly AgentSummary[] {
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
