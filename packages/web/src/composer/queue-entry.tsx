import { clsx } from "clsx";
import {
  ArrowDown,
  ArrowUp,
  Clock,
  Ellipsis,
  Pencil,
  TriangleAlert,
  X,
  type LucideIcon,
} from "lucide-react";
import { useEffect, useState, type KeyboardEvent } from "react";
import { toast } from "sonner";
import { runCommand } from "../state/run-command.ts";
import { personName } from "../state/person-name.ts";
import { useMe, useThisSession } from "../state/session.tsx";
import { Chip } from "../ui/chip.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { attachmentSummary, textOfBlocks, withText } from "../message/prompt-blocks.ts";
import { QueueEdit } from "./queue-edit.tsx";
import { QueueImages } from "./queue-images.tsx";
import { promptAfterMove, type Moves, type PendingPrompt } from "./pending-prompts.ts";

/** A prompt whose turn starts within this time is not shown in the queue. */
const lateMs = 300;

export interface QueueEntryProps {
  readonly prompt: PendingPrompt;
  readonly moves: Moves | null;
  readonly isEditing: boolean;
  readonly onEdit: (promptId: string | null) => void;
  /** Called with the edited text when the prompt can't be changed any more. */
  readonly onLost: (text: string, promptId: string) => void;
}

export function QueueEntry({ prompt, moves, isEditing, onEdit, onLost }: QueueEntryProps) {
  const session = useThisSession();
  const me = useMe();
  const isLate = useIsLate();
  if (!isLate && prompt.state !== "refused") return null;

  const { promptId, content } = prompt;
  const text = textOfBlocks(content);
  const isMine = me?.role !== "watch";
  const change = async (next: string) => {
    onEdit(null);
    const blocks = withText(content, next);
    if (blocks.length === 0) await withdraw();
    else if (next.trim() !== text && !(await runCommand(session.changePrompt(promptId, blocks))))
      onLost(next, promptId);
  };
  const withdraw = async () => {
    onEdit(null);
    if (!(await runCommand(session.withdrawPrompt(promptId)))) return;
    toast("Withdrawn.", {
      action: { label: "Put back", onClick: () => void runCommand(session.prompt(content)) },
    });
  };
  const move = (direction: "up" | "down") => {
    const queue = session.getSnapshot().view?.queue ?? [];
    const before = promptAfterMove(queue, promptId, direction);
    if (before !== undefined) void runCommand(session.movePrompt(promptId, before));
  };
  const keys = (event: KeyboardEvent) => {
    const isMove = event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown");
    if (isMove) move(event.key === "ArrowUp" ? "up" : "down");
    else if (event.key === "Delete") void withdraw();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  if (isEditing && text !== null)
    return (
      <li className="shrink-0 border-line not-first:border-t">
        <QueueEdit
          text={text}
          onSave={(next) => void change(next)}
          onClose={() => onEdit(null)}
          onLost={(words) => onLost(words, promptId)}
        />
      </li>
    );
  return (
    <li className="flex min-h-9 min-w-0 shrink-0 items-center gap-2 border-line pl-3 text-sm not-first:border-t">
      <Sign state={prompt.state} />
      <QueueImages content={content} />
      <button
        type="button"
        disabled={!isMine || text === null}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Delete"
        onClick={() => onEdit(promptId)}
        onKeyDown={keys}
        className="touchable min-w-0 grow py-1 text-left"
      >
        <Words prompt={prompt} text={text} />
      </button>
      {prompt.by === null ? null : <Chip>{personName(prompt.by, me)}</Chip>}
      {isMine ? (
        <Actions
          canEdit={text !== null}
          moves={moves}
          onEdit={() => onEdit(promptId)}
          onMove={move}
          onWithdraw={() => void withdraw()}
        />
      ) : null}
    </li>
  );
}

interface ActionsProps {
  readonly canEdit: boolean;
  readonly moves: Moves | null;
  readonly onEdit: () => void;
  readonly onMove: (direction: "up" | "down") => void;
  readonly onWithdraw: () => void;
}

/** Separate buttons, or one menu when there is little room. */
function Actions({ canEdit, moves, onEdit, onMove, onWithdraw }: ActionsProps) {
  return (
    <>
      <span className="hidden medium:flex">
        {moves ? (
          <>
            <MoveButton icon={ArrowUp} name="Move up" can={moves.up} onMove={() => onMove("up")} />
            <MoveButton
              icon={ArrowDown}
              name="Move down"
              can={moves.down}
              onMove={() => onMove("down")}
            />
          </>
        ) : null}
        {canEdit ? <IconButton icon={Pencil} name="Edit" onClick={onEdit} /> : null}
        <IconButton icon={X} name="Withdraw" onClick={onWithdraw} />
      </span>
      <span className="medium:hidden">
        <Menu side="top" align="end" trigger={<IconButton icon={Ellipsis} name="More actions" />}>
          {canEdit ? <MenuItem onSelect={onEdit}>Edit</MenuItem> : null}
          {moves?.up ? <MenuItem onSelect={() => onMove("up")}>Move up</MenuItem> : null}
          {moves?.down ? <MenuItem onSelect={() => onMove("down")}>Move down</MenuItem> : null}
          <MenuItem onSelect={onWithdraw}>Withdraw</MenuItem>
        </Menu>
      </span>
    </>
  );
}

interface MoveButtonProps {
  readonly icon: LucideIcon;
  readonly name: string;
  readonly can: boolean;
  readonly onMove: () => void;
}

/** Disabled at the ends of the queue with `aria-disabled`, so that it keeps the focus. */
function MoveButton({ icon, name, can, onMove }: MoveButtonProps) {
  return (
    <IconButton
      icon={icon}
      name={name}
      aria-disabled={!can}
      className="aria-disabled:opacity-40"
      onClick={() => {
        if (can) onMove();
      }}
    />
  );
}

function Sign({ state }: Pick<PendingPrompt, "state">) {
  const isBad = state === "refused";
  const Icon = isBad ? TriangleAlert : Clock;
  return (
    <Icon
      size={16}
      strokeWidth={1.5}
      aria-hidden
      className={clsx("shrink-0", isBad ? "text-bad" : "text-soft")}
    />
  );
}

const stateWords: Readonly<Record<PendingPrompt["state"], string | null>> = {
  queued: null,
  waiting: "Waiting for the connection",
  sending: "Sending…",
  refused: "Not sent",
};

function Words({ prompt, text }: { readonly prompt: PendingPrompt; readonly text: string | null }) {
  const { state, error, content } = prompt;
  const extras = attachmentSummary(content);
  const words = stateWords[state];
  return (
    <>
      {text === "" ? null : (
        <span className="line-clamp-2 break-words">{text ?? "A long text"}</span>
      )}
      {extras === "" && words === null ? null : (
        <span className={clsx("block text-xs", state === "refused" ? "text-bad" : "text-soft")}>
          {[words, error?.message, extras].filter(Boolean).join(" · ")}
        </span>
      )}
    </>
  );
}

function useIsLate(): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), lateMs);
    return () => clearTimeout(timer);
  }, []);
  return isLate;
}
