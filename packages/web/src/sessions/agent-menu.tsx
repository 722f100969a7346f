import type { AgentSummary } from "@landline/protocol";
import { ChevronDown } from "lucide-react";
import { Button } from "../ui/button.tsx";
import { Menu, MenuChoices } from "../ui/menu.tsx";

export interface AgentMenuProps {
  /** Null until they are loaded. */
  readonly agents: readonly AgentSummary[] | null;
  readonly chosen: AgentSummary | null;
  readonly onChoose: (agentId: string) => void;
}

export function AgentMenu({ agents, chosen, onChoose }: AgentMenuProps) {
  if (!agents || !chosen) {
    const words = agents ? "No agent was found." : "Looking for agents…";
    return <span className="px-1 text-sm text-soft">{words}</span>;
  }
  const choices = agents.map(({ id, name, signedIn }) => ({
    value: id,
    name,
    about: signedIn === false ? "Sign-in required" : null,
  }));
  return (
    <Menu
      trigger={
        <Button variant="quiet" aria-label={`Agent: ${chosen.name}`} className="min-w-0">
          <span className="truncate">{chosen.name}</span>
          <ChevronDown size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
        </Button>
      }
    >
      <MenuChoices label="Agent" value={chosen.id} choices={choices} onChoose={onChoose} />
    </Menu>
  );
}

/** The wanted agent if it exists, else the first one, which is built in. */
export function chosenAgent(
  agents: readonly AgentSummary[],
  wantedId: string | null,
): AgentSummary | null {
  return agents.find(({ id }) => id === wantedId) ?? agents[0] ?? null;
}
