import type {
  AgentExitedItem,
  AgentStartedItem,
  CompactionItem,
  ErrorItem,
  NoticeItem,
  SessionMessageItem,
  TurnEndedItem,
  UnknownItem,
} from "@landline/protocol";
import { CircleAlert, Info, Layers, MessagesSquare, Plug, TriangleAlert } from "lucide-react";
import { Blocks } from "../../content/blocks.tsx";
import { Json } from "../../content/json.tsx";
import { Disclosure } from "../../ui/disclosure.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";
import { agentExitText } from "./agent-exit-text.ts";
import { NoticeLine } from "./notice-line.tsx";
import { StderrTail } from "./stderr-tail.tsx";
import { SignInButton } from "./sign-in-button.tsx";
import { ErrorCard } from "./error-card.tsx";
import { stopReasonText } from "./turn-text.ts";

export function NoticeRow({ item }: { readonly item: NoticeItem }) {
  const tone = item.severity === "error" ? "bad" : item.severity === "warning" ? "ask" : "plain";
  const icon = tone === "bad" ? CircleAlert : tone === "ask" ? TriangleAlert : Info;
  return (
    <NoticeLine icon={icon} tone={tone}>
      {tone === "plain" ? null : <span className="sr-only">{item.severity}: </span>}
      <span className="font-medium">{item.title}</span>
      {item.description === null ? null : (
        <span className="block text-soft">
          <TextWithCode text={item.description} />
        </span>
      )}
    </NoticeLine>
  );
}

const compactions: Readonly<Record<string, string>> = {
  completed: "The agent compacted the conversation",
  failed: "The agent could not compact the conversation",
};

export function CompactionRow({ item }: { readonly item: CompactionItem }) {
  const words = compactions[item.status] ?? "The agent is compacting the conversation";
  const line = (
    <NoticeLine icon={Layers} tone={item.status === "failed" ? "bad" : "plain"}>
      {words}
      {item.error === null ? null : `: ${item.error}`}
    </NoticeLine>
  );
  if (item.summary.length === 0) return line;
  return (
    <Disclosure summary={line}>
      {() => (
        <div className="mt-1 ml-2 border-l border-line pl-4 text-sm">
          <Blocks blocks={item.summary} />
        </div>
      )}
    </Disclosure>
  );
}

/** A message between an agent and its subagent. */
export function SessionMessageRow({ item }: { readonly item: SessionMessageItem }) {
  return (
    <Disclosure
      summary={
        <NoticeLine icon={MessagesSquare}>A message between the agent and a subagent</NoticeLine>
      }
    >
      {() => (
        <div className="mt-1 ml-2 border-l border-line pl-4 text-sm">
          <Blocks blocks={item.content} />
        </div>
      )}
    </Disclosure>
  );
}

const starts = {
  new: "The agent was restarted. It does not remember the conversation",
  resume: "The agent was restarted and resumed the conversation",
  load: "The agent was restarted and loaded the conversation",
  fork: "The agent was restarted with a copy of the conversation",
  transcript: "The agent was restarted with a transcript of the conversation",
} as const;

/** An agent start in the middle of a session. */
export function AgentStartedRow({ item }: { readonly item: AgentStartedItem }) {
  return (
    <div className="flex items-center gap-3 text-xs text-soft">
      <span className="h-px grow border-t border-dashed border-line-strong" />
      <span className="flex items-center gap-2">
        <Plug size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
        {starts[item.how] ?? "The agent is back"}
      </span>
      <span className="h-px grow border-t border-dashed border-line-strong" />
    </div>
  );
}

export function AgentExitedRow({ item }: { readonly item: AgentExitedItem }) {
  const { title, help, isTrouble } = agentExitText(item);
  if (!isTrouble) {
    return (
      <div className="flex flex-col gap-1">
        <NoticeLine icon={Plug}>{title}</NoticeLine>
        <StderrTail text={item.stderr} />
      </div>
    );
  }
  return (
    <ErrorCard title={title} help={help}>
      <StderrTail text={item.stderr} />
    </ErrorCard>
  );
}

export function ErrorRow({ item }: { readonly item: ErrorItem }) {
  // The session continues with the agent's own value.
  if (item.code === "option-not-offered") {
    return (
      <NoticeLine icon={Info}>
        <TextWithCode text={item.message} />
      </NoticeLine>
    );
  }
  // The person chose it before and decides whether to choose it again.
  if (item.code === "choice-ended") {
    return (
      <NoticeLine icon={TriangleAlert} tone="ask">
        <span className="font-medium">{item.message}</span>
        {item.help === null ? null : <span className="block text-soft">{item.help}</span>}
      </NoticeLine>
    );
  }
  return (
    <ErrorCard
      title={item.message}
      help={item.help}
      action={item.code === "auth-required" ? <SignInButton /> : null}
    />
  );
}

/** The end of a turn whose prompt is not loaded. */
export function TurnEndedRow({ item }: { readonly item: TurnEndedItem }) {
  return (
    <NoticeLine icon={Info} tone={item.stopReason === "failed" ? "bad" : "plain"}>
      {stopReasonText(item.stopReason) ?? "The turn ended"}
      {item.error === null ? null : <TextWithCode text={`: ${item.error.message}`} />}
    </NoticeLine>
  );
}

/** An item that this version does not know, as one line that opens. */
export function UnknownRow({ item }: { readonly item: UnknownItem }) {
  return (
    <Disclosure
      summary={
        <span className="text-soft">
          Unknown {item.of}: {item.name}
        </span>
      }
    >
      {() => <Json value={item.value} />}
    </Disclosure>
  );
}
