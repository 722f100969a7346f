import { useSnapshotPart } from "../state/session.tsx";

/** Whether the displayed state is current. */
export function useOnlineStatus(): boolean {
  return useSnapshotPart(({ state }) => state !== "offline");
}
