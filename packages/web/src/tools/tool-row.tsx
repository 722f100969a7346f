import {
  isExecutionKnown,
  type SessionView,
  type Subagent,
  type TerminalView,
  type ToolCallItem,
} from "@landline/protocol";
import { clsx } from "clsx";
import { memo, useId, useMemo } from "react";
import { useView } from "../state/session.tsx";
import { duration } from "../ui/duration.ts";
import { ChangeCount } from "./change-count.tsx";
import { callStateIn } from "./call-state-in-view.ts";
import { asked, isUndone, rejected, type CallState } from "./call-state.ts";
import { errorText } from "./call-text.ts";
import { ExecutionBadge, ExecutionLine } from "./execution-badge.tsx";
import { changesOf } from "./call-changes.ts";
import { ElapsedTime } from "./elapsed-time.tsx";
import { failedExitCode, isBadExit } from "./exit-text.ts";
import { ToolKindIcon } from "./tool-kind-icon.tsx";
import { useDisclosure } from "./use-disclosure.ts";
import { toolRowText } from "./tool-row-text.ts";
import { RunningIndicator } from "./running-indicator.tsx";
import { ToolBody } from "./tool-body.tsx";
import { hasBody, isSameRowData, terminalsOf } from "./tool-row-data.ts";
import { toolSubject } from "./tool-subject.ts";
import { useLineCount } from "./use-line-count.ts";
import { Chevron } from "../ui/chevron.tsx";

export interface ToolRowProps {
  readonly item: ToolCallItem;
  /** The view that contains the item's terminals and subagents. */
  readonly view: SessionView;
}

/** The key that remembers whether a row is open. */
export function disclosureKey({ toolCallId, key, at }: ToolCallItem): string {
  return `${toolCallId} ${key} ${at}`;
}

/** One tool call: its action, object and state, and all details when opened. */
export const ToolRow = memo(
  function ToolRow({ item, view }: ToolRowProps) {
    const terminals = terminalsOf(item, view);
    const subagent = view.subagents.find(({ key }) => key === item.subagent);
    const state = callStateIn(view, item);
    const changes = changesOf(item);
    const isLive = view.turn.first !== null && item.first >= view.turn.first;
    // In a running turn, changes and running commands are open by default, except those that a permission request
    // shows or may show soon, and rejected ones.
    const isChange = changes.length > 0 && !isUndone(state) && item.status !== "pending";
    const stays = changes.length > 0 && state !== asked && state !== rejected;
    const isAtWork = terminals.some(({ exit }) => exit === null || isBadExit(exit));
    const [isOpen, setOpen] = useDisclosure(
      disclosureKey(item),
      isLive && state !== asked && (isChange || isAtWork),
      stays,
    );
    const isKnown = isExecutionKnown(item);
    const canOpen = hasBody(item, subagent) || isKnown;
    const id = useId();
    const line = (
      <RowLine
        item={item}
        state={state}
        terminals={terminals}
        subagent={subagent}
        isOpen={isOpen}
      />
    );
    const look = "flex w-full min-w-0 items-center gap-2 rounded-input py-1 text-left text-sm";
    return (
      <div className="min-w-0">
        {canOpen ? (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
            className={clsx("touchable hover:bg-raised", look)}
          >
            {line}
            <Chevron isOpen={isOpen} />
          </button>
        ) : (
          <div className={clsx("pr-6", look)}>{line}</div>
        )}
        {state.isOpen ? <RunningIndicator /> : null}
        {state.isBad ? <Failure item={item} isOpen={isOpen} /> : null}
        <div id={id} hidden={!isOpen || !canOpen}>
          {isOpen && isKnown ? <ExecutionLine call={item} /> : null}
          {isOpen && canOpen ? (
            <ToolBody
              item={item}
              view={view}
              terminals={terminals}
              subagent={subagent}
              isErrorSaid={state.isBad}
            />
          ) : null}
        </div>
      </div>
    );
  },
  (before, after) =>
    before.item === after.item && isSameRowData(before.view, after.view, after.item),
);

interface RowLineProps {
  readonly item: ToolCallItem;
  readonly state: CallState;
  readonly terminals: readonly TerminalView[];
  readonly subagent: Subagent | undefined;
  readonly isOpen: boolean;
}

function RowLine({ item, state, terminals, subagent, isOpen }: RowLineProps) {
  // The views of older parts do not contain it.
  const cwd = useView((whole) => whole.session.cwd, "");
  const [terminal] = terminals;
  const words = useMemo(() => {
    if (!subagent) return toolRowText(item, toolSubject(item, terminal), cwd);
    return {
      title: subagent.description ?? subagent.title ?? item.title,
      target: subagent.agentType,
    };
  }, [item, terminal, cwd, subagent]);
  const count = useLineCount(item);
  return (
    <>
      <ToolKindIcon kind={subagent ? "subagent" : item.kind} />
      <span className="flex min-w-0 grow items-baseline gap-2">
        <span
          className={clsx("truncate", words.target === null ? "min-w-0" : "max-w-[60%] shrink-0")}
        >
          {words.title}
        </span>
        {words.target === null ? null : (
          <span className="min-w-0 truncate font-mono text-soft">{words.target}</span>
        )}
      </span>
      {count === null || isOpen || isUndone(state) ? null : <ChangeCount {...count} />}
      <ExecutionBadge call={item} />
      <Standing item={item} state={state} exitCode={failedExitCode(item, terminals)} />
    </>
  );
}

interface StandingProps extends Pick<RowLineProps, "item" | "state"> {
  /** Of a command that failed. Some agents report such a call as completed. */
  readonly exitCode: number | null;
}

function Standing({ item, state, exitCode }: StandingProps) {
  const hasFailed = state.word === "Done" && exitCode !== null;
  const isQuiet = (state.word === "Done" && !hasFailed) || state.word === "Running";
  // Old snapshots have no end time. A rejected call lasted as long as the person took to answer.
  const endedAt = state === rejected ? null : (item.endedAt ?? null);
  return (
    <span className="flex shrink-0 items-baseline gap-2 text-xs text-soft">
      <span
        className={clsx(
          isQuiet && "sr-only",
          (state.isBad || hasFailed) && "font-medium text-bad",
          state === asked && "font-medium text-ask",
        )}
      >
        {hasFailed ? `Exit code ${exitCode}` : state.word}
      </span>
      {state.isOpen ? <ElapsedTime since={item.at} /> : null}
      {endedAt !== null && endedAt - item.at >= 100 ? duration(endedAt - item.at) : null}
    </span>
  );
}

function Failure({ item, isOpen }: { readonly item: ToolCallItem; readonly isOpen: boolean }) {
  const text = errorText(item);
  if (text === null) return null;
  return (
    <p
      className={clsx(
        "min-w-0 pb-1 pl-6 text-sm text-bad",
        isOpen ? "break-words whitespace-pre-wrap" : "truncate",
      )}
    >
      {isOpen ? text : text.split("\n", 1)[0]}
    </p>
  );
}
