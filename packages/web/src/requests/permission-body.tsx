import type { AskOutcome } from "@landline/client";
import type { PermissionItem, ToolCallItem } from "@landline/protocol";
import { clsx } from "clsx";
import { useMemo, useState } from "react";
import { usePreferences } from "../state/preferences.ts";
import { ChangePreview } from "../tools/change-preview.tsx";
import { Button } from "../ui/button.tsx";
import { focusableScroll } from "../ui/focusable-scroll.ts";
import { useOnlySession } from "../state/session.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { AnswerButton } from "./answer-button.tsx";
import type { AnswerDraftAccess } from "./answer-draft.ts";
import { allowOnce, countsOnce, rejectOnce, type PermissionChoice } from "./answer-keys.ts";
import { RequestReasons } from "./request-reasons.tsx";
import { isRejection, optionName } from "./outcome-text.ts";
import { focusDock } from "./dock-focus.ts";
import { useDisabledReasonId } from "./offline-note.tsx";
import { RequestText } from "./request-text.tsx";
import { RejectNote } from "./reject-note.tsx";
import { RuleDialog } from "./rule-dialog.tsx";
import { isSandboxRequest, reasonsBeside } from "./sandbox-request.ts";

export interface PermissionBodyProps {
  readonly item: PermissionItem;
  /** The call that needs permission; null if the agent named none. */
  readonly toolCall: ToolCallItem | null;
  readonly draft: AnswerDraftAccess;
  readonly isBusy: boolean;
  readonly onAnswer: (outcome: AskOutcome, note?: string) => void;
}

/** Shows the command or change, and the agent's own options. */
export function PermissionBody(props: PermissionBodyProps) {
  const { item, toolCall, draft, isBusy, onAnswer } = props;
  const { options } = item;
  const leavesSandbox = isSandboxRequest(item, toolCall);
  const because = useMemo(() => reasonsBeside(item, toolCall), [item, toolCall]);
  const disabledReasonId = useDisabledReasonId();
  const [more, setMore] = useState<"rule" | "note" | null>(null);
  const allow = allowOnce(options);
  const reject = rejectOnce(options);
  const choose = (option: PermissionChoice, note?: string) =>
    onAnswer({ outcome: "selected", optionId: option.optionId }, note);
  const isLimited = useOnlySession() !== null;
  // No rule can be made if the gateway says that none would apply, nor with a link to one session.
  const forRule =
    leavesSandbox || because.length > 0 || isLimited
      ? undefined
      : (allow ?? options.find(({ kind }) => kind === "allow_always"));
  return (
    <div className="flex min-h-0 flex-col gap-3">
      <Preview toolCall={toolCall} />
      {toolCall === null ? null : <RequestText toolCall={toolCall} because={because} />}
      <RequestReasons reasons={because} />
      {options.length === 0 ? (
        <p className="text-sm text-soft">
          The agent offers no answer to choose from. You can stop the turn.
        </p>
      ) : null}
      <div className="flex shrink-0 flex-col gap-1">
        <div className="flex flex-wrap gap-2 *:basis-[45%] *:grow medium:*:basis-auto medium:*:grow-0">
          {options.map((option, index) => (
            <OptionButton
              key={option.optionId}
              option={option}
              keys={keysOf(option, index, allow, reject)}
              // Leaving the sandbox is the widest option, so it is not the primary button.
              isPrimary={option === allow && !leavesSandbox}
              isBusy={isBusy}
              onChoose={() => choose(option)}
            />
          ))}
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {forRule ? (
            <Button
              variant="quiet"
              className={otherAnswer}
              disabled={isBusy}
              disabledReasonId={disabledReasonId}
              onClick={() => setMore("rule")}
            >
              Always… (make a rule)
            </Button>
          ) : null}
          {reject && more !== "note" ? (
            <Button
              variant="quiet"
              className={otherAnswer}
              disabled={isBusy}
              onClick={() => setMore("note")}
            >
              {draft.read().note.trim() === "" ? "Reject with a note…" : "Reject with your note…"}
            </Button>
          ) : null}
        </div>
      </div>
      {reject && more === "note" ? (
        <RejectNote
          draft={draft}
          isBusy={isBusy}
          onReject={(note) => choose(reject, note)}
          onClose={() => {
            setMore(null);
            focusDock();
          }}
        />
      ) : null}
      {forRule && more === "rule" ? (
        <RuleDialog
          askId={item.askId}
          onSaved={() => choose(forRule)}
          onClose={() => setMore(null)}
        />
      ) : null}
    </div>
  );
}

function Preview({ toolCall }: Pick<PermissionBodyProps, "toolCall">) {
  if (toolCall === null)
    return <p className="text-sm text-soft">The agent did not say what it is about.</p>;
  return (
    <div
      ref={focusableScroll}
      role="group"
      aria-label="Command or change"
      className="min-h-5 overflow-y-auto [@media(max-height:600px)]:max-h-24 [@media(max-height:600px)]:min-h-13"
    >
      <ChangePreview toolCall={toolCall} />
    </div>
  );
}

/** Two fit beside each other on a phone. */
const otherAnswer = "max-medium:px-1 pointer-coarse:min-h-12";

interface OptionButtonProps {
  readonly option: PermissionChoice;
  readonly keys: readonly string[];
  readonly isPrimary: boolean;
  readonly isBusy: boolean;
  readonly onChoose: () => void;
}

function OptionButton({ option, keys, isPrimary, isBusy, onChoose }: OptionButtonProps) {
  const { hasSingleKeys } = usePreferences();
  return (
    <AnswerButton
      isWrapping
      variant={isPrimary ? "primary" : isRejection(option) ? "bad" : "plain"}
      className={clsx(
        "pointer-coarse:min-h-12",
        // On a phone the two main options are side by side, whatever their order.
        keys.includes("a") && "-order-2 medium:order-none",
        keys.includes("r") && "-order-1 medium:order-none",
      )}
      disabled={isBusy}
      aria-keyshortcuts={hasSingleKeys ? keys.join(" ") : undefined}
      onClick={onChoose}
    >
      <span className="min-w-0 break-words">{optionName(option)}</span>
      {hasSingleKeys ? (
        <span
          aria-hidden
          className={clsx(
            "hidden gap-1 pointer-fine:inline-flex",
            // Its key works only on the card. Only the opacity changes, so that nothing moves under a press.
            !countsOnce(option) && "opacity-40 group-focus-within/dock:opacity-100",
          )}
        >
          {keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
        </span>
      ) : null}
    </AnswerButton>
  );
}

function keysOf(
  option: PermissionChoice,
  index: number,
  allow: PermissionChoice | undefined,
  reject: PermissionChoice | undefined,
): readonly string[] {
  const number = index < 9 ? [String(index + 1)] : [];
  if (option === allow) return [...number, "a"];
  return option === reject ? [...number, "r"] : number;
}
