import { useLandline } from "@landline/client/react";
import type { AgentSummary } from "@landline/protocol";
import { X } from "lucide-react";
import { runCommand } from "../state/run-command.ts";
import { IconButton } from "../ui/icon-button.tsx";

export interface RememberedOptionsProps {
  readonly agent: AgentSummary;
  readonly isDisabled: boolean;
  /** Called when the choices are deleted, because the pressed button is gone. */
  readonly onForgotten: () => void;
}

/** The model that the session starts with, if one was chosen before. */
export function RememberedOptions({ agent, isDisabled, onForgotten }: RememberedOptionsProps) {
  const { api } = useLandline();
  if (agent.lastChoices.length === 0) return null;
  const forget = async () => {
    if (await runCommand(api.forgetChoices({ agent: agent.id }))) onForgotten();
  };
  return (
    <div className="flex min-w-0 items-center pl-2 text-sm text-soft">
      <span className="truncate">
        with{" "}
        <span className="text-ink">{agent.lastChoices.map(({ name }) => name).join(", ")}</span>
      </span>
      <IconButton
        icon={X}
        name={`Use the default of ${agent.name}`}
        disabled={isDisabled}
        onClick={() => void forget()}
      />
    </div>
  );
}
