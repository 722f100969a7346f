import type { Landline } from "@landline/client";
import { GitFork, PenLine, Square, Trash2, type LucideIcon } from "lucide-react";
import { openOverlay } from "../app/overlay.ts";
import { goToSession } from "../app/routes.ts";
import { runCommand, showError } from "../state/run-command.ts";

export interface SessionAction {
  readonly name: string;
  readonly icon: LucideIcon;
  readonly run: () => void;
  readonly isBad?: boolean;
}

export interface ActedOn {
  readonly sessionId: string;
  readonly title: string | null;
  /** The name shown while it has no title. */
  readonly name: string;
  readonly isClosed: boolean;
  /** Whether the link of this browser is limited to it. */
  readonly isLimited: boolean;
}

/** The actions on a session. */
export function sessionActions(landline: Landline, acted: ActedOn): readonly SessionAction[] {
  const { sessionId, title, name, isClosed, isLimited } = acted;
  const rename = () => openOverlay({ name: "rename-session", sessionId, title: title ?? "" });
  const close = () => void runCommand(landline.session(sessionId).close());
  const copy = { name: "Fork", icon: GitFork, run: () => void fork(landline, sessionId) };
  const erase = {
    name: "Delete…",
    icon: Trash2,
    run: () => openOverlay({ name: "delete-session", sessionId, title: name }),
    isBad: true,
  };
  return [
    { name: "Rename…", icon: PenLine, run: rename },
    ...(isLimited ? [] : [copy]),
    ...(isClosed ? [] : [{ name: "Close", icon: Square, run: close }]),
    ...(isLimited ? [] : [erase]),
  ];
}

async function fork(landline: Landline, sessionId: string): Promise<void> {
  try {
    const made = await landline.session(sessionId).fork();
    goToSession(made.sessionId);
  } catch (error) {
    showError(error);
  }
}
