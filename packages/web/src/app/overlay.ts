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
      readonly name: "sign-in";
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
  set({ name: "sign-in", agent, before: overlay?.name === "sign-in" ? overlay.before : overlay });
}

export function closeOverlay(): void {
  set(overlay?.name === "sign-in" ? overlay.before : null);
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
