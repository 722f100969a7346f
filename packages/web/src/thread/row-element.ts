/** The row that shows an event: the last one that starts at or before it. */
export function rowAt(content: HTMLElement | null, at: number): HTMLElement | null {
  let found: HTMLElement | null = null;
  for (const row of content?.children ?? []) {
    if (!(row instanceof HTMLElement)) continue;
    if (found !== null && Number(row.dataset["event"]) > at) break;
    found = row;
  }
  return found;
}

const markedMs = 2_500;

/** Highlights the row for a moment. */
export function markRow(row: HTMLElement): void {
  row.dataset["marked"] = "";
  setTimeout(() => delete row.dataset["marked"], markedMs);
}
