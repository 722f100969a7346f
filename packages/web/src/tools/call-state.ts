import type { ToolCallItem } from "@landline/protocol";

/** The displayed state of a call. */
export interface CallState {
  readonly word: string;
  readonly isOpen: boolean;
  readonly isBad: boolean;
}

/** A call that waits for permission is not running. */
export const asked: CallState = { word: "Waiting for you", isOpen: false, isBad: false };

/** A rejected call has not failed. */
export const rejected: CallState = { word: "Rejected", isOpen: false, isBad: false };

export const stopped: CallState = { word: "Stopped", isOpen: false, isBad: false };

const failed: CallState = { word: "Failed", isOpen: false, isBad: true };

const done: CallState = { word: "Done", isOpen: false, isBad: false };

/** Whether it ended before its work was done, so that it changed nothing. */
export function isUndone(state: CallState): boolean {
  return state === failed || state === rejected || state === stopped;
}

export function callState({ status, ended }: Pick<ToolCallItem, "status" | "ended">): CallState {
  if (ended === "cancelled") return stopped;
  if (ended === "unfinished") return { word: "Not finished", isOpen: false, isBad: false };
  switch (status) {
    case "completed":
      return done;
    case "failed":
      return failed;
    case "cancelled":
      return stopped;
    case "pending":
      return { word: "Waiting", isOpen: true, isBad: false };
    case "in_progress":
      return { word: "Running", isOpen: true, isBad: false };
    default:
      return { word: sentence(status), isOpen: true, isBad: false };
  }
}

/** Formats "partially_completed" as words. */
export function sentence(word: string): string {
  const words = word.replaceAll(/[_-]+/gu, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
