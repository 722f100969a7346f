import { useSnapshotPart } from "../state/session.tsx";

/** Fewer events arrive before anyone could read the bar. */
const worthSaying = 200;
const count = new Intl.NumberFormat("en");

export function CatchingUpBar() {
  const behind = useSnapshotPart((snapshot) =>
    snapshot.state === "catching-up" ? snapshot.behind : 0,
  );
  if (behind < worthSaying) return null;
  return (
    <p className="shrink-0 border-b border-line bg-raised px-4 py-1 text-center text-sm text-soft">
      Catching up: {count.format(behind)} events
    </p>
  );
}
