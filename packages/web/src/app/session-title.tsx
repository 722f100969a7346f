import { useCallback, useRef, useState } from "react";
import { runCommand } from "../state/run-command.ts";
import { useMe, useThisSession, useView } from "../state/session.tsx";
import { isComposing } from "../ui/input-device.ts";
import { useSessionName } from "./use-session-name.ts";

/** The heading; a click turns it into a field. */
export function SessionTitle() {
  const session = useThisSession();
  const title = useView((view) => view.session.title, null);
  const name = useSessionName();
  const isWatcher = useMe()?.role === "watch";
  const [typed, setTyped] = useState<string | null>(null);
  const save = () => {
    if (typed === null) return;
    setTyped(null);
    const wanted = typed.trim();
    if (wanted !== (title ?? "")) void runCommand(session.rename(wanted === "" ? null : wanted));
  };
  // Returns the focus to the heading after keyboard input.
  const comesBack = useRef(false);
  const focusAgain = useCallback((button: HTMLButtonElement | null) => {
    if (comesBack.current) button?.focus({ preventScroll: true });
    if (button) comesBack.current = false;
  }, []);
  if (typed !== null) {
    return (
      <input
        aria-label="Title"
        value={typed}
        ref={selectAll}
        maxLength={200}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (isComposing(event.nativeEvent)) return;
          if (event.key !== "Enter" && event.key !== "Escape") return;
          event.preventDefault();
          comesBack.current = true;
          if (event.key === "Enter") save();
          else setTyped(null);
        }}
        className="min-w-0 grow rounded-input border border-line bg-page px-1 font-semibold"
      />
    );
  }
  return (
    <h1 tabIndex={-1} data-heading className="min-w-0 shrink truncate font-semibold outline-none">
      {isWatcher || name === null ? (
        (name ?? "Loading…")
      ) : (
        <button
          ref={focusAgain}
          type="button"
          title="Rename"
          onClick={() => setTyped(title ?? "")}
          className="block max-w-full truncate rounded-input text-left hover:bg-raised"
        >
          {name}
        </button>
      )}
    </h1>
  );
}

/** The field appears where the person just clicked. */
function selectAll(field: HTMLInputElement | null): void {
  field?.focus();
  field?.select();
}
