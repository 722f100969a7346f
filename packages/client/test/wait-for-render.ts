import { act } from "react";

/** Polls, and lets React render in between. */
export async function renderedUntil(isSo: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`It was never drawn: ${isSo.toString()}`);
    await act(() => new Promise((resolve) => setTimeout(resolve, 5)));
  }
}
