import { useState } from "react";
import { askToNotify, canNotify } from "../app/notifications.ts";
import { setPreferences, usePreferences, type Preferences } from "../state/preferences.ts";
import { ChoiceField } from "./choice-field.tsx";

const themes = [
  { value: "system", name: "System" },
  { value: "light", name: "Light" },
  { value: "dark", name: "Dark" },
] as const;

const editors = [
  { value: "none", name: "None" },
  { value: "vscode", name: "VS Code" },
  { value: "cursor", name: "Cursor" },
  { value: "zed", name: "Zed" },
  { value: "idea", name: "IntelliJ" },
] as const;

const diffs = [
  { value: "auto", name: "By width" },
  { value: "inline", name: "Inline" },
  { value: "split", name: "Side by side" },
] as const;

const onOrOff = [
  { value: "on", name: "On" },
  { value: "off", name: "Off" },
] as const;

/** The preferences of this browser. */
export function PreferencesForm() {
  const { theme, editor, diff, hasSingleKeys } = usePreferences();
  return (
    <div className="flex flex-col gap-6">
      <ChoiceField<Preferences["theme"]>
        legend="Theme"
        value={theme}
        choices={themes}
        onChoose={(value) => setPreferences({ theme: value })}
      />
      <ChoiceField<Preferences["editor"]>
        legend="Open files in"
        value={editor}
        choices={editors}
        onChoose={(value) => setPreferences({ editor: value })}
        about="Paths become links that open in this editor, where it is on the same machine as the gateway."
      />
      <ChoiceField<Preferences["diff"]>
        legend="Show changes"
        value={diff}
        choices={diffs}
        onChoose={(value) => setPreferences({ diff: value })}
      />
      <ChoiceField<"on" | "off">
        legend="Single-key shortcuts"
        value={hasSingleKeys ? "on" : "off"}
        choices={onOrOff}
        onChoose={(value) => setPreferences({ hasSingleKeys: value === "on" })}
        about="Letters, digits and other single keys, such as those that answer the agent. Turn them off if dictation or accidental presses trigger them. Esc and keys with Ctrl, Alt or ⌘ keep working."
      />
      <Notifications />
      <p className="text-xs text-soft">These settings are stored only in this browser.</p>
    </div>
  );
}

function Notifications() {
  const { wantsNotifications } = usePreferences();
  const [isBlocked, setBlocked] = useState(
    () => !canNotify() || Notification.permission === "denied",
  );
  const isOn = wantsNotifications && !isBlocked;
  const set = async (value: "on" | "off") => {
    if (value === "off") return setPreferences({ wantsNotifications: false });
    const isAllowed = await askToNotify();
    setBlocked(!isAllowed);
    return setPreferences({ wantsNotifications: isAllowed });
  };
  return (
    <ChoiceField<"on" | "off">
      legend="Notifications"
      value={isOn ? "on" : "off"}
      choices={onOrOff}
      onChoose={(value) => void set(value)}
      about={
        isBlocked
          ? "This browser does not allow them here. Allow notifications for this page in its settings, then come back."
          : "When this page is hidden and a conversation needs you or is done. They show its title, but not its content."
      }
    />
  );
}
