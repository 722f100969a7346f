import type { AgentSummary } from "@landline/protocol";
import { ArrowUp } from "lucide-react";
import { AttachButton } from "../message/attach-button.tsx";
import { Button } from "../ui/button.tsx";
import { AgentMenu } from "./agent-menu.tsx";
import { changeNewSessionDraft } from "./new-session-draft.ts";
import { RememberedOptions } from "./remembered-options.tsx";

export interface StartBarProps {
  /** Null until they are loaded. */
  readonly agents: readonly AgentSummary[] | null;
  readonly agent: AgentSummary | null;
  /** The name of the agent that is being started. */
  readonly starting: string | null;
  readonly canStart: boolean;
  readonly startLabel: string;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onForgotten: () => void;
}

/** The lower row of the form: attachments, agent and options, and the start button. */
export function StartBar(props: StartBarProps) {
  const { agents, agent, starting } = props;
  const isStarting = starting !== null;
  return (
    <div className="flex flex-wrap items-center gap-1 px-1.5 pb-2">
      <AttachButton isDisabled={isStarting} onFiles={props.onFiles} />
      <AgentMenu
        agents={agents}
        chosen={agent}
        onChoose={(agentId) => changeNewSessionDraft({ agent: agentId })}
      />
      {agent ? (
        <RememberedOptions agent={agent} isDisabled={isStarting} onForgotten={props.onForgotten} />
      ) : null}
      <Button
        variant="primary"
        type="submit"
        isBusy={isStarting}
        disabled={!props.canStart && !isStarting}
        className="ml-auto min-w-0 shrink"
      >
        <ArrowUp size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
        <span className="truncate">{isStarting ? `Starting ${starting}…` : props.startLabel}</span>
      </Button>
    </div>
  );
}
