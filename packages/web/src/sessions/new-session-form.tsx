import { useAgents } from "@landline/client/react";
import { ArrowUp } from "lucide-react";
import { useRef, type KeyboardEvent } from "react";
import { usePreferences } from "../state/preferences.ts";
import { useMe } from "../state/session.tsx";
import { Button } from "../ui/button.tsx";
import { isComposing, isTouch } from "../ui/typing.ts";
import { AgentMenu, chosenAgent } from "./agent-menu.tsx";
import { changeDraft, useDraft } from "./draft.ts";
import { FolderField } from "./folder-field.tsx";
import { StartFailure } from "./start-failure.tsx";
import { useStart } from "./use-start.ts";

export interface NewSessionFormProps {
  readonly onStarted?: () => void;
  readonly startLabel?: string;
}

/** A field like the composer's, and with which agent and where. */
export function NewSessionForm({ onStarted, startLabel = "Start" }: NewSessionFormProps) {
  const me = useMe();
  const { lastAgent, lastFolder } = usePreferences();
  const draft = useDraft();
  const agents = useAgents();
  const found = agents?.filter((agent) => agent.found) ?? [];
  const agent = chosenAgent(found, draft.agent ?? lastAgent);
  const folder = draft.folder ?? lastFolder ?? me?.cwd ?? "";
  const { start, isStarting, failure, needsSignIn } = useStart(onStarted);
  const textRef = useRef<HTMLTextAreaElement>(null);
  const isWatcher = me?.role === "watch";
  const canStart = agent !== null && folder !== "" && !isStarting && !isWatcher;
  const submit = () => {
    if (agent && canStart) void start({ agent: agent.id, folder, text: draft.text });
  };
  return (
    <form
      aria-label="New conversation"
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="rounded-card border border-line-strong bg-page">
        <textarea
          ref={textRef}
          aria-label="What should it do?"
          placeholder="What should it do?"
          value={draft.text}
          rows={3}
          // What is typed now would not go with it.
          readOnly={isStarting}
          data-autofocus
          onChange={(event) => changeDraft({ text: event.target.value })}
          onKeyDown={(event) => {
            if (!isSend(event)) return;
            event.preventDefault();
            submit();
          }}
          className="field-sizing-content block max-h-[40dvh] min-h-20 w-full resize-none bg-transparent px-3 py-2 outline-none placeholder:text-soft"
        />
        <div className="px-3 pb-2">
          <FolderField
            folder={folder}
            onChange={(path) => changeDraft({ folder: path })}
            onTaken={() => textRef.current?.focus()}
          />
        </div>
        <div className="flex items-center gap-2 px-2 pb-2">
          <AgentMenu
            agents={agents && found}
            chosen={agent}
            onChoose={(agentId) => changeDraft({ agent: agentId })}
          />
          <span className="grow" />
          <Button look="primary" type="submit" disabled={!canStart} className="min-w-0 shrink">
            <ArrowUp size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
            <span className="truncate">
              {isStarting ? `Starting ${agent?.name ?? ""}…` : startLabel}
            </span>
          </Button>
        </div>
        {isStarting ? <div className="running-edge h-0.5" /> : null}
      </div>
      <output className="sr-only">
        {isStarting ? `Starting ${agent?.name ?? "the agent"}` : ""}
      </output>
      {failure && agent ? (
        <StartFailure {...failure} agent={agent} needsSignIn={needsSignIn} />
      ) : null}
      {isWatcher ? (
        <p className="text-sm text-soft">This browser may watch, and start nothing.</p>
      ) : null}
    </form>
  );
}

function isSend({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean {
  return key === "Enter" && !shiftKey && !isComposing(nativeEvent) && !isTouch();
}
