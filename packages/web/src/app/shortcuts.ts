/**
 * All keyboard shortcuts. Those with an `id` have one listener (use-shortcuts.ts); the others are handled by their
 * own module and are listed here for the help.
 */
export interface Shortcut {
  readonly id?: ShortcutId;
  /** Alternatives. "Mod" is Command on a Mac and Ctrl elsewhere. */
  readonly combos: readonly string[];
  readonly does: string;
}

export type ShortcutId =
  | "palette"
  | "help"
  | "new-session"
  | "search"
  | "next-session"
  | "previous-session"
  | "next-needs-you"
  | "focus-composer"
  | "focus-thread"
  | "stop-turn"
  | "toggle-list"
  | "toggle-panel"
  | "settings";

export interface ShortcutGroup {
  readonly where: string;
  /** Typed into a field; without effect elsewhere. */
  readonly isInField?: boolean;
  readonly keys: readonly Shortcut[];
}

/** Not Esc, which also closes overlays and leaves fields and is pressed without thinking. */
export const stopCombo = "Mod+.";

export const shortcutGroups: readonly ShortcutGroup[] = [
  {
    where: "Everywhere",
    keys: [
      { id: "palette", combos: ["Mod+K"], does: "Find a conversation or an action" },
      { id: "new-session", combos: ["C"], does: "Start a new conversation" },
      { id: "search", combos: ["/"], does: "Search all conversations" },
      {
        id: "next-needs-you",
        combos: ["Mod+J", "G"],
        does: "Go to the next conversation that needs you",
      },
      { id: "next-session", combos: ["Alt+ArrowDown", "]"], does: "Next conversation" },
      { id: "previous-session", combos: ["Alt+ArrowUp", "["], does: "Previous conversation" },
      { id: "toggle-list", combos: ["Mod+B"], does: "Show or hide the conversations" },
      { id: "toggle-panel", combos: ["Mod+I"], does: "Show or hide the details" },
      { id: "settings", combos: ["Mod+,"], does: "Open the settings" },
      { id: "help", combos: ["?"], does: "Show this list" },
    ],
  },
  {
    where: "In a conversation",
    keys: [
      { id: "focus-composer", combos: ["I"], does: "Write" },
      { id: "focus-thread", combos: ["T"], does: "Go to the conversation, to scroll it by keys" },
      { id: "stop-turn", combos: [stopCombo], does: "Stop the turn" },
      { combos: ["End"], does: "Go to its end" },
      { combos: ["Home"], does: "Go to the beginning of what is loaded" },
    ],
  },
  {
    where: "While you write",
    isInField: true,
    keys: [
      { combos: ["Enter"], does: "Send, or queue while the agent works" },
      { combos: ["Shift+Enter"], does: "New line" },
      { combos: ["/"], does: "Commands of the agent" },
      { combos: ["@"], does: "Name a file" },
      { combos: ["ArrowUp"], does: "Edit the last queued prompt, in an empty field" },
      { combos: ["Escape"], does: "Leave the field" },
    ],
  },
  {
    where: "When the agent asks",
    keys: [
      { combos: ["Escape"], does: "Go there from the message field" },
      {
        combos: ["1", "2", "3"],
        does: "Choose an option. Outside the request, only options that apply once",
      },
      { combos: ["A"], does: "Allow once" },
      { combos: ["R"], does: "Reject" },
      { combos: ["N"], does: "Next question" },
    ],
  },
];

const withoutSingleKeys: readonly ShortcutGroup[] = shortcutGroups
  .map((group) => (group.isInField === true ? group : { ...group, keys: longerKeys(group.keys) }))
  .filter(({ keys }) => keys.length > 0);

function longerKeys(keys: readonly Shortcut[]): readonly Shortcut[] {
  return keys
    .map((key) => ({ ...key, combos: key.combos.filter((combo) => combo.length > 1) }))
    .filter(({ combos }) => combos.length > 0);
}

/** The shortcuts in effect; single keys only if they are turned on. */
export function activeShortcuts(hasSingleKeys: boolean): readonly ShortcutGroup[] {
  return hasSingleKeys ? shortcutGroups : withoutSingleKeys;
}

/** The fields of a keyboard event that are used. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The shortcut of a key event, if any. In a text field only combinations with a modifier count. */
export function shortcutOf(
  press: KeyPress,
  isTyping: boolean,
  isMac: boolean,
  groups = shortcutGroups,
): ShortcutId | null {
  for (const { keys } of groups) {
    for (const { id, combos } of keys) {
      if (id !== undefined && combos.some((combo) => isPressed(combo, press, isTyping, isMac))) {
        return id;
      }
    }
  }
  return null;
}

function isPressed(combo: string, press: KeyPress, isTyping: boolean, isMac: boolean): boolean {
  const parts = combo.split("+");
  const wantsMod = parts.includes("Mod");
  const wantsAlt = parts.includes("Alt");
  // On a Mac, Option with an arrow moves the caret.
  if (isTyping && !wantsMod && (!wantsAlt || isMac)) return false;
  const [mod, other] = isMac ? [press.metaKey, press.ctrlKey] : [press.ctrlKey, press.metaKey];
  if (mod !== wantsMod || other || press.altKey !== wantsAlt) return false;
  return parts.at(-1)?.toLowerCase() === press.key.toLowerCase();
}

const shown: Readonly<Record<string, string>> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
};

/** The key caps of a combination: "Mod+K" → "Ctrl", "K". */
export function capsOf(combo: string, isMac: boolean): readonly string[] {
  return combo.split("+").map((part) => {
    if (part === "Mod") return isMac ? "⌘" : "Ctrl";
    if (part === "Alt") return isMac ? "⌥" : "Alt";
    return shown[part] ?? part;
  });
}
