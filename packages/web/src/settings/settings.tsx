import { clsx } from "clsx";
import type { ReactNode } from "react";
import { AgentList } from "../sessions/agent-list.tsx";
import { PageHeader } from "../app/page-header.tsx";
import { hrefOf, settingsTabs, type SettingsTab } from "../app/routes.ts";
import { usePageTitle } from "../app/use-page-title.ts";
import { About } from "./about.tsx";
import { Devices } from "./devices.tsx";
import { PreferencesForm } from "./preferences-form.tsx";
import { Rules } from "./rules.tsx";

const pages: Readonly<Record<SettingsTab, { readonly name: string; readonly page: ReactNode }>> = {
  preferences: { name: "Preferences", page: <PreferencesForm /> },
  agents: { name: "Agents", page: <AgentList isWhole /> },
  rules: { name: "Rules", page: <Rules /> },
  devices: { name: "Devices", page: <Devices /> },
  about: { name: "About", page: <About /> },
};

export interface SettingsProps {
  readonly tab: SettingsTab;
}

export function Settings({ tab }: SettingsProps) {
  const { name, page } = pages[tab];
  usePageTitle(`${name} · Settings`);
  return (
    <>
      <PageHeader title="Settings" />
      <div className="min-h-0 grow overflow-y-auto pb-[env(safe-area-inset-bottom)]">
        <div className="column px-4 py-6">
          <nav
            aria-label="Settings"
            className="mb-6 flex gap-1 overflow-x-auto overflow-y-hidden border-b border-line"
          >
            {settingsTabs.map((other) => (
              <a
                key={other}
                href={hrefOf({ name: "settings", tab: other })}
                aria-current={other === tab ? "page" : undefined}
                className={clsx(
                  "touchable inline-flex items-center border-b-2 px-3 py-2 text-sm whitespace-nowrap",
                  other === tab
                    ? "border-accent font-medium text-ink"
                    : "border-transparent text-soft hover:text-ink",
                )}
              >
                {pages[other].name}
              </a>
            ))}
          </nav>
          {page}
        </div>
      </div>
    </>
  );
}
