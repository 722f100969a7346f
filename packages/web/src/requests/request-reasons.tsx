import { ShieldAlert } from "lucide-react";

/** Why a person is asked although a rule would have allowed it. */
export function RequestReasons({ reasons }: { readonly reasons: readonly string[] }) {
  if (reasons.length === 0) return null;
  return (
    <div className="flex shrink-0 items-start gap-2 text-sm">
      <ShieldAlert size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-ask" />
      <div className="min-w-0">
        <p>No rule allows this, because:</p>
        <ul className="list-disc pl-4">
          {reasons.map((reason) => (
            <li key={reason} className="break-words">
              {reason}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
