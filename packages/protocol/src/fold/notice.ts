import type { ErrorRaised } from "../events.ts";
import type { Draft } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { appendItem, newItem } from "./thread.ts";
import { stringOf } from "../raw-value.ts";
import type { NoticeReading } from "../update-reading.ts";
import { textOf } from "./content.ts";

export function foldNotice(
  draft: Draft,
  where: Where,
  { severity, title, description }: NoticeReading,
): void {
  appendItem(draft, where, { ...newItem(draft, "notice"), severity, title, description });
}

export function foldError(draft: Draft, event: ErrorRaised): void {
  appendItem(draft, "root", {
    ...newItem(draft, "error"),
    code: event.code,
    message: textOf(event.message),
    help: stringOf(event.help),
  });
}
