import type { Me, Session, SessionSnapshot } from "@landline/client";
import { useLandline, useStorePart } from "@landline/client/react";
import type { SessionView } from "@landline/protocol";
import { createContext, useContext, useMemo, type ReactNode } from "react";

const ThisSession = createContext<Session | null>(null);
const Myself = createContext<Me | null>(null);

export interface SessionProviderProps {
  readonly sessionId: string;
  readonly children: ReactNode;
}

export function SessionProvider({ sessionId, children }: SessionProviderProps) {
  const landline = useLandline();
  const session = useMemo(() => landline.session(sessionId), [landline, sessionId]);
  return <ThisSession value={session}>{children}</ThisSession>;
}

/** The session of the current page. */
export function useThisSession(): Session {
  const session = useContext(ThisSession);
  if (!session) throw new Error("useThisSession needs a SessionProvider above it.");
  return session;
}

/** A selected part of the session snapshot; re-renders only when that part changes. */
export function useSnapshotPart<Part>(select: (snapshot: SessionSnapshot) => Part): Part {
  return useStorePart(useThisSession(), select);
}

/** A selected part of the view; `absent` before the first view arrives. */
export function useView<Part>(select: (view: SessionView) => Part, absent: Part): Part {
  return useSnapshotPart(({ view }) => (view ? select(view) : absent));
}

export const MeProvider = Myself.Provider;

/** Whether this client has the role admin. */
export function useIsAdmin(): boolean {
  return useMe()?.role === "admin";
}

/** The session that the token is limited to; null if it is not limited. */
export function useOnlySession(): string | null {
  return useMe()?.session ?? null;
}

/** The identity of this client; null until the gateway has sent it. */
export function useMe(): Me | null {
  return useContext(Myself);
}
