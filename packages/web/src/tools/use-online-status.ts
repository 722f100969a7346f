import { useSnapshotPart } from "../state/session.tsx";

/** Whether what is shown is what is so. */
export function useOnlineStatus(): boolean {
  return useSnapshotPart(({ state }) => state !== "offline");
}
