/** The row that shows an event: the last one that began with it or before it. */
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

/** So that the eye finds it. */
export function markRow(row: HTMLElement): void {
  row.dataset["marked"] = "";
  setTimeout(() => delete row.dataset["marked"], markedMs);
}
