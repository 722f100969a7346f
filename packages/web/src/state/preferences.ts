import { useSyncExternalStore } from "react";

/** Settings of this browser, in localStorage. */
export interface Preferences {
  readonly theme: "system" | "light" | "dark";
  /** The editor whose URL scheme opens files. */
  readonly editor: "none" | "vscode" | "cursor" | "zed" | "idea";
  readonly diff: "auto" | "inline" | "split";
  readonly isListShown: boolean;
  readonly isPanelShown: boolean;
  readonly wantsNotifications: boolean;
  /** Whether shortcuts without a modifier key work outside of text fields. */
  readonly hasSingleKeys: boolean;
  /** The agent and folder of the last session that was started here. */
  readonly lastAgent: string | null;
  readonly lastFolder: string | null;
}

const key = "landline.preferences";

const defaults: Preferences = {
  theme: "system",
  editor: "none",
  diff: "auto",
  isListShown: true,
  isPanelShown: true,
  wantsNotifications: false,
  hasSingleKeys: true,
  lastAgent: null,
  lastFolder: null,
};

const choices: Readonly<Record<string, readonly unknown[]>> = {
  theme: ["system", "light", "dark"],
  editor: ["none", "vscode", "cursor", "zed", "idea"],
  diff: ["auto", "inline", "split"],
};

let preferences = read();
const listeners = new Set<() => void>();

export function getPreferences(): Preferences {
  return preferences;
}

export function setPreferences(change: Partial<Preferences>): void {
  preferences = { ...preferences, ...change };
  try {
    localStorage.setItem(key, JSON.stringify(preferences));
  } catch {
    // Without storage, preferences last until the page is closed.
  }
  tell();
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, getPreferences);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}

/** Ignores stored values of the wrong type. */
function read(): Preferences {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "{}");
    if (typeof kept !== "object" || kept === null) return defaults;
    const entries = Object.entries(kept).filter(([name, value]) => isRight(name, value));
    return { ...defaults, ...Object.fromEntries(entries) };
  } catch {
    return defaults;
  }
}

function isRight(name: string, value: unknown): boolean {
  if (!Object.hasOwn(defaults, name)) return false;
  const allowed = choices[name];
  if (allowed) return allowed.includes(value);
  if (name.startsWith("last")) return value === null || typeof value === "string";
  return typeof value === "boolean";
}

// Another tab changed the preferences.
addEventListener("storage", (event) => {
  if (event.key !== key) return;
  preferences = read();
  tell();
});
