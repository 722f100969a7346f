import type { ToolCallItem } from "@landline/protocol";

/** How a call stands, in the words of the page. */
export interface CallState {
  readonly word: string;
  readonly isOpen: boolean;
  readonly isBad: boolean;
}

/** Nothing runs while it waits for an answer. */
export const asked: CallState = { word: "Waits for you", isOpen: false, isBad: false };

export function callState({ status, ended }: Pick<ToolCallItem, "status" | "ended">): CallState {
  if (ended === "cancelled") return { word: "Cancelled", isOpen: false, isBad: false };
  if (ended === "unfinished") return { word: "Not finished", isOpen: false, isBad: false };
  switch (status) {
    case "completed":
      return { word: "Done", isOpen: false, isBad: false };
    case "failed":
      return { word: "Failed", isOpen: false, isBad: true };
    case "cancelled":
      return { word: "Cancelled", isOpen: false, isBad: false };
    case "pending":
      return { word: "Waiting", isOpen: true, isBad: false };
    case "in_progress":
      return { word: "Running", isOpen: true, isBad: false };
    default:
      return { word: sentence(status), isOpen: true, isBad: false };
  }
}

/** "partially_completed" as words. */
export function sentence(word: string): string {
  const words = word.replaceAll(/[_-]+/gu, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
