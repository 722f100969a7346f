import { createContext, createElement, useContext, useMemo, useSyncExternalStore } from "react";
import type { ReactNode } from "react";
import type { AgentSummary } from "@landline/protocol";
import type {
  ConnectionSnapshot,
  Landline,
  Session,
  SessionListSnapshot,
  SessionSnapshot,
} from "./contract.ts";
import type { Store } from "./store.ts";

export { useACPBridge } from "./use-acp-bridge.ts";
export type { Bridge, BridgeOptions } from "./use-acp-bridge.ts";
export type { BridgeToolCall, ChatMessage, PermissionRequest } from "./bridge-messages.ts";

const Connection = createContext<Landline | null>(null);

export interface LandlineProviderProps {
  readonly landline: Landline;
  readonly children: ReactNode;
}

export function LandlineProvider({ landline, children }: LandlineProviderProps) {
  return createElement(Connection.Provider, { value: landline }, children);
}

/** The client of the nearest `LandlineProvider`. */
export function useLandline(): Landline {
  const landline = useContext(Connection);
  if (!landline) throw new Error("useLandline needs a LandlineProvider above it.");
  return landline;
}

export function useStore<Snapshot>(store: Store<Snapshot>): Snapshot {
  const [subscribe, getSnapshot] = useMemo(
    () => [store.subscribe.bind(store), store.getSnapshot.bind(store)] as const,
    [store],
  );
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}

/**
 * Selects a part of a snapshot; the component renders again only when the part changes. Unchanged parts of a view
 * keep their identity, so `select` should return an existing part and not create an object.
 */
export function useStorePart<Snapshot, Part>(
  store: Store<Snapshot>,
  select: (snapshot: Snapshot) => Part,
): Part {
  const subscribe = useMemo(() => store.subscribe.bind(store), [store]);
  const getPart = () => select(store.getSnapshot());
  return useSyncExternalStore(subscribe, getPart, getPart);
}

export function useConnection(): ConnectionSnapshot {
  return useStore(useLandline().connection);
}

export function useSessions(): SessionListSnapshot & { readonly loadMore: () => Promise<void> } {
  const { sessions } = useLandline();
  const snapshot = useStore(sessions);
  return useMemo(
    () => ({ ...snapshot, loadMore: () => sessions.loadMore() }),
    [sessions, snapshot],
  );
}

export function useAgents(): readonly AgentSummary[] | null {
  return useStore(useLandline().agents);
}

/** A session's live snapshot, and the session. */
export function useSession(sessionId: string): SessionSnapshot & { readonly session: Session } {
  const landline = useLandline();
  const session = useMemo(() => landline.session(sessionId), [landline, sessionId]);
  const snapshot = useStore(session);
  return useMemo(() => ({ ...snapshot, session }), [session, snapshot]);
}
