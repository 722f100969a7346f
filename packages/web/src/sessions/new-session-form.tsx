import { useAgents } from "@landline/client/react";
import { clsx } from "clsx";
import { History } from "lucide-react";
import { useRef } from "react";
import { toast } from "sonner";
import { openAgentSessions } from "../app/overlay.ts";
import { newConversation, useDraft } from "../message/drafts.ts";
import { mentionsFrom } from "../message/mention.ts";
import { useAttachments } from "../message/use-attachments.ts";
import { useFileDrop } from "../message/use-file-drop.ts";
import { usePreferences } from "../state/preferences.ts";
import { useMe } from "../state/session.tsx";
import { Button } from "../ui/button.tsx";
import { chosenAgent } from "./agent-menu.tsx";
import { changeNewSessionDraft, useNewSessionDraft } from "./new-session-draft.ts";
import { FolderField } from "./folder-field.tsx";
import { NewMessage } from "./new-message.tsx";
import { StartBar } from "./start-bar.tsx";
import { StartFailure } from "./start-failure.tsx";
import { useStartSession } from "./use-start-session.ts";

export interface NewSessionFormProps {
  readonly onStarted?: () => void;
  readonly startLabel?: string;
}

/** The form for a new session: message field, agent and folder. */
export function NewSessionForm({ onStarted, startLabel = "Start" }: NewSessionFormProps) {
  const me = useMe();
  const { lastAgent, lastFolder } = usePreferences();
  const draft = useNewSessionDraft();
  const kept = useDraft(newConversation);
  // The agent's capabilities are unknown before it runs.
  const files = useAttachments(newConversation, null);
  const agents = useAgents();
  const found = agents?.filter((agent) => agent.found) ?? [];
  const agent = chosenAgent(found, draft.agent ?? lastAgent);
  const folder = draft.folder ?? lastFolder ?? me?.cwd ?? "";
  const message = { ...kept, mentions: mentionsFrom(folder, kept.mentions) };
  const { start, starting, failure, needsSignIn } = useStartSession(onStarted);
  const isStarting = starting !== null;
  const field = useRef<HTMLTextAreaElement>(null);
  const isWatcher = me?.role === "watch";
  const isReady = files.reading === 0 && !isStarting && !isWatcher;
  const canStart = agent !== null && folder !== "" && isReady;
  const takeFiles = isStarting ? refuseFiles : files.add;
  const isOver = useFileDrop(takeFiles);
  const submit = () => {
    const written = { ...message, attachments: files.attachments };
    if (agent && canStart) void start({ agent, folder, written });
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
      <div
        className={clsx(
          "rounded-card border bg-page",
          isOver ? "border-accent" : "border-line-strong",
        )}
      >
        <NewMessage
          field={field}
          draft={message}
          files={files}
          folder={folder}
          isOver={isOver}
          isStarting={isStarting}
          onFiles={takeFiles}
          onSend={submit}
        />
        <div className="px-3 pb-2">
          <FolderField
            folder={folder}
            onChange={(path) => changeNewSessionDraft({ folder: path })}
            onTaken={() => field.current?.focus()}
          />
        </div>
        <StartBar
          agents={agents && found}
          agent={agent}
          starting={starting}
          canStart={canStart}
          startLabel={startLabel}
          onFiles={takeFiles}
          onForgotten={() => field.current?.focus()}
        />
        {isStarting ? <div className="running-edge h-0.5" /> : null}
      </div>
      <output className="sr-only">{isStarting ? `Starting ${starting}` : ""}</output>
      {failure && agent ? (
        <StartFailure {...failure} agent={agent} needsSignIn={needsSignIn} />
      ) : null}
      {agent && !isWatcher ? (
        <Button
          variant="quiet"
          className="min-w-0 self-start"
          disabled={isStarting}
          onClick={() => openAgentSessions(agent.id)}
        >
          <History size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
          <span className="truncate">Continue a conversation of {agent.name}…</span>
        </Button>
      ) : null}
      {isWatcher ? <p className="text-sm text-soft">This browser has read-only access.</p> : null}
    </form>
  );
}

function refuseFiles(): void {
  toast("Nothing was attached: the conversation is starting.", {
    description: "You can attach files once it has begun.",
  });
}
