import { useView } from "../state/session.tsx";
import { Section } from "./section.tsx";
import { contextShare, contextText, costText, shareText, turnParts } from "./usage-text.ts";

/** The context size, the cost, and the tokens of the last turn. */
export function UsageSection() {
  const usage = useView((view) => view.usage, null);
  const lastTurn = useView((view) => view.lastTurn?.usage ?? null, null);
  const parts = lastTurn === null ? [] : turnParts(lastTurn);
  if (usage === null && parts.length === 0) return null;
  return (
    <Section name="Usage" about={usage?.cost ? costText(usage.cost) : null}>
      {() => (
        <div className="flex flex-col gap-3 text-sm">
          {usage === null ? null : <Context used={usage.used} size={usage.size} />}
          {parts.length === 0 ? null : (
            <div>
              <h3 className="mb-1 text-xs font-medium text-soft">Tokens of the last turn</h3>
              <dl className="grid grid-cols-[1fr_auto] gap-x-3 text-sm">
                {parts.map(({ name, count }) => (
                  <div key={name} className="contents">
                    <dt className="text-soft">{name}</dt>
                    <dd className="text-right">{count}</dd>
                  </div>
                ))}
              </dl>
            </div>
          )}
        </div>
      )}
    </Section>
  );
}

function Context({ used, size }: { readonly used: number; readonly size: number }) {
  const share = contextShare(used, size);
  return (
    <div>
      <div className="flex items-baseline justify-between gap-2">
        <span>{contextText(used, size)}</span>
        {size > 0 ? <span className="text-xs text-soft">{shareText(share)}</span> : null}
      </div>
      {size > 0 ? (
        <div aria-hidden className="mt-1 h-1 overflow-hidden rounded-full bg-line">
          <div className="h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
        </div>
      ) : null}
    </div>
  );
}
