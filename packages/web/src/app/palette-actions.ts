import {
  Bot,
  Keyboard,
  Moon,
  PanelLeft,
  PanelRight,
  Plus,
  Settings2,
  ShieldCheck,
  Smartphone,
  Sun,
  SunMoon,
  type LucideIcon,
} from "lucide-react";
import { setPreferences } from "../state/preferences.ts";
import { toggleList, togglePanel } from "./toggle-columns.ts";
import type { ShortcutId } from "./shortcuts.ts";
import { openOverlay } from "./overlay.ts";
import { go } from "./routes.ts";

export interface PageAction {
  readonly name: string;
  readonly icon: LucideIcon;
  readonly run: () => void;
  readonly keyId?: ShortcutId;
}

const begin: PageAction = {
  name: "New conversation",
  icon: Plus,
  run: () => openOverlay({ name: "new-session" }),
  keyId: "new-session",
};

/** Actions that are available on every page; with a link to one session, only those for it. */
export function pageActions(canBegin: boolean, isLimited: boolean): readonly PageAction[] {
  if (isLimited) return looks;
  return [
    ...(canBegin ? [begin] : []),
    list,
    ...looks.slice(0, -1),
    ...settings,
    ...looks.slice(-1),
  ];
}

const list: PageAction = {
  name: "Show or hide the conversations",
  icon: PanelLeft,
  run: toggleList,
  keyId: "toggle-list",
};

const looks: readonly PageAction[] = [
  { name: "Show or hide the details", icon: PanelRight, run: togglePanel, keyId: "toggle-panel" },
  { name: "Light theme", icon: Sun, run: () => setPreferences({ theme: "light" }) },
  { name: "Dark theme", icon: Moon, run: () => setPreferences({ theme: "dark" }) },
  { name: "System theme", icon: SunMoon, run: () => setPreferences({ theme: "system" }) },
  {
    name: "Keyboard shortcuts",
    icon: Keyboard,
    run: () => openOverlay({ name: "keys" }),
    keyId: "help",
  },
];

const settings: readonly PageAction[] = [
  {
    name: "Settings",
    icon: Settings2,
    run: () => go({ name: "settings", tab: "preferences" }),
    keyId: "settings",
  },
  {
    name: "Agents and sign-in",
    icon: Bot,
    run: () => go({ name: "settings", tab: "agents" }),
  },
  { name: "Rules", icon: ShieldCheck, run: () => go({ name: "settings", tab: "rules" }) },
  { name: "Devices", icon: Smartphone, run: () => go({ name: "settings", tab: "devices" }) },
];
