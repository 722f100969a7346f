import { usePart } from "../state/session.tsx";

/** Whether what is shown is what is so. */
export function useIsOnline(): boolean {
  return usePart(({ state }) => state !== "offline");
}
