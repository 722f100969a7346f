import { usePreferences } from "../state/preferences.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { capsOf, activeShortcuts } from "./shortcuts.ts";
import { closeOverlay } from "./overlay.ts";
import { isMac } from "./platform.ts";
import { hrefOf } from "./routes.ts";

export interface ShortcutListProps {
  readonly onClose: () => void;
}

export function ShortcutList({ onClose }: ShortcutListProps) {
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose} isWide>
      <ShortcutTable />
    </Dialog>
  );
}

export function ShortcutTable() {
  const { hasSingleKeys } = usePreferences();
  return (
    <div className="grid gap-x-10 gap-y-6 medium:grid-cols-2">
      {activeShortcuts(hasSingleKeys).map(({ where, keys }) => (
        <section key={where} aria-label={where}>
          <h3 className="mb-1 text-sm font-semibold">{where}</h3>
          <dl className="text-sm">
            {keys.map(({ combos, does }) => (
              <div key={does} className="flex items-baseline gap-3 py-1">
                <dt className="grow">{does}</dt>
                <dd className="flex shrink-0 gap-2">
                  {combos.map((combo) => (
                    <span key={combo} className="flex gap-0.5">
                      {capsOf(combo, isMac).map((cap) => (
                        <Kbd key={cap}>{cap}</Kbd>
                      ))}
                    </span>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      {hasSingleKeys ? null : (
        <p className="text-sm text-soft medium:col-span-2">
          Single-key shortcuts are off.{" "}
          <a
            href={hrefOf({ name: "settings", tab: "preferences" })}
            onClick={closeOverlay}
            className="text-accent underline underline-offset-2"
          >
            Change that in the settings
          </a>
        </p>
      )}
    </div>
  );
}
