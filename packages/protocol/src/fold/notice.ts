import type { ErrorRaised } from "../events.ts";
import type { Draft } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { appendItem, newItem } from "./thread.ts";
import { stringOf, type Raw } from "./value.ts";
import { textOf } from "./content.ts";

export function foldNotice(draft: Draft, where: Where, update: Raw): boolean {
  const title = stringOf(update["title"]);
  if (title === null) return false;
  appendItem(draft, where, {
    ...newItem(draft, "notice"),
    severity: stringOf(update["severity"]) ?? "info",
    title,
    description: stringOf(update["description"]),
  });
  return true;
}

export function foldError(draft: Draft, event: ErrorRaised): void {
  appendItem(draft, "root", {
    ...newItem(draft, "error"),
    code: event.code,
    message: textOf(event.message),
    help: stringOf(event.help),
  });
}
