import { useSnapshotPart } from "../state/session.tsx";
import { PageHeader } from "./page-header.tsx";

/** Replaces a session that can't be shown. */
export function SessionUnavailable() {
  const state = useSnapshotPart((snapshot) => snapshot.state);
  const error = useSnapshotPart((snapshot) => snapshot.error);
  const isGone = state === "gone";
  return (
    <>
      <PageHeader title={isGone ? "Not found" : "Can't be shown"} />
      <div className="column flex flex-col gap-2 px-4 py-10">
        <p>
          {isGone
            ? "This conversation was deleted or does not exist."
            : (error?.message ?? "This conversation can't be shown.")}
        </p>
        {error?.help ? <p className="text-sm text-soft">{error.help}</p> : null}
        <p>
          <a href="#/" className="text-accent underline underline-offset-2">
            Start a new conversation
          </a>
        </p>
      </div>
    </>
  );
}
