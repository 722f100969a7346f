import { Dialog } from "../ui/dialog.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { capsOf, keyGroups } from "./keys.ts";
import { isMac } from "./platform.ts";

export interface KeyListProps {
  readonly onClose: () => void;
}

export function KeyList({ onClose }: KeyListProps) {
  return (
    <Dialog title="Keys" isOpen onClose={onClose} isWide>
      <KeyTable />
    </Dialog>
  );
}

export function KeyTable() {
  return (
    <div className="grid gap-x-10 gap-y-6 medium:grid-cols-2">
      {keyGroups.map(({ where, keys }) => (
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
    </div>
  );
}
