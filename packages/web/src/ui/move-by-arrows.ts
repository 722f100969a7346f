import type { KeyboardEvent } from "react";

/** Moves the focus between the rows (`data-row`) of a list and its search field (`data-search`), if it has one. */
export function moveByArrows(event: KeyboardEvent, list: HTMLElement | null): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  // The menu of a row is in a portal and handles the arrow keys itself.
  if (!(event.target instanceof Node) || list?.contains(event.target) !== true) return;
  const rows = [...list.querySelectorAll<HTMLElement>("[data-row]")];
  const index = rows.findIndex((row) => row === document.activeElement);
  if (index < 0 && event.key === "ArrowUp") return;
  const next = index < 0 ? 0 : index + (event.key === "ArrowDown" ? 1 : -1);
  const target = next < 0 ? list.querySelector<HTMLElement>("[data-search]") : rows[next];
  if (!target) return;
  event.preventDefault();
  target.focus();
}
