import { useSyncExternalStore } from "react";

/** The open dialog or sheet; one at a time. */
export type Overlay =
  | { readonly name: "palette" | "keys" | "new-session" | "list" | "panel" }
  | {
      readonly name: "rename-session" | "delete-session";
      readonly sessionId: string;
      readonly title: string;
    }
  | {
      readonly name: "sign-in" | "agent-sessions";
      readonly agent: string;
      /** The overlay to reopen afterwards. */
      readonly before: Overlay | null;
    };

let overlay: Overlay | null = null;
const listeners = new Set<() => void>();

export function openOverlay(next: Overlay): void {
  set(next);
}

/** Opens over the current overlay, which is restored afterwards. */
export function openSignIn(agent: string): void {
  openOver("sign-in", agent);
}

/** Opens over the current overlay, which is restored afterwards. */
export function openAgentSessions(agent: string): void {
  openOver("agent-sessions", agent);
}

function openOver(name: "sign-in" | "agent-sessions", agent: string): void {
  const before = overlay?.name === name && "before" in overlay ? overlay.before : overlay;
  set({ name, agent, before });
}

/** Closes the overlay, and shows the one below it if there is one. */
export function closeOverlay(): void {
  set(overlay && "before" in overlay ? overlay.before : null);
}

/** Closes the overlay and all below it, because the person goes to another page. */
export function leaveOverlays(): void {
  set(null);
}

export function toggleOverlay(next: Overlay): void {
  set(overlay?.name === next.name ? null : next);
}

export function useOverlay(): Overlay | null {
  return useSyncExternalStore(subscribe, () => overlay);
}

function set(next: Overlay | null): void {
  if (overlay === next) return;
  overlay = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
