import { Link2 } from "lucide-react";
import { useMe } from "../state/session.tsx";

/** Says to what the link of this browser is limited. */
export function LimitedBar() {
  const me = useMe();
  if (me?.session === undefined) return null;
  const may = me.role === "watch" ? "You can read it." : "You can read it and work in it.";
  return (
    <div className="flex shrink-0 items-center justify-center gap-2 border-b border-line bg-raised px-4 py-1 text-sm">
      <Link2 size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-soft" />
      <p>This link opens one conversation only. {may}</p>
    </div>
  );
}
