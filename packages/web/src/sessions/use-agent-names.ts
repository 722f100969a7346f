import { useAgents } from "@landline/client/react";
import { useMemo } from "react";

/** The name of an agent by its id; the id itself while nothing better is known. */
export function useAgentNames(): (agentId: string) => string {
  const agents = useAgents();
  return useMemo(() => {
    const names = new Map(agents?.map(({ id, name }) => [id, name]));
    return (agentId) => names.get(agentId) ?? agentId;
  }, [agents]);
}
