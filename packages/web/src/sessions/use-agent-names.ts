import { useAgents } from "@landline/client/react";
import { useMemo } from "react";

/** The name of an agent by id; the id while it is unknown. */
export function useAgentNames(): (agentId: string) => string {
  const agents = useAgents();
  return useMemo(() => {
    const names = new Map(agents?.map(({ id, name }) => [id, name]));
    return (agentId) => names.get(agentId) ?? agentId;
  }, [agents]);
}
