import { lazy, Suspense } from "react";
import { DeleteSession } from "../sessions/delete-session.tsx";
import { NewSession } from "../sessions/new-session.tsx";
import { RenameSession } from "../sessions/rename-session.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { ShortcutList } from "./shortcut-list.tsx";
import { closeOverlay, useOverlay, type Overlay } from "./overlay.ts";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const SignIn = lazy(async () => ({ default: (await import("../sessions/sign-in.tsx")).SignIn }));
const AgentSessions = lazy(async () => ({
  default: (await import("../sessions/agent-sessions.tsx")).AgentSessions,
}));

/** The dialogs of the page. The layout renders the sheets. */
export function Overlays() {
  const overlay = useOverlay();
  return (
    <div className="fixed inset-x-4 bottom-4 z-50 empty:hidden">
      <ErrorBoundary of={overlay}>
        <Shown overlay={overlay} />
      </ErrorBoundary>
    </div>
  );
}

function Shown({ overlay }: { readonly overlay: Overlay | null }) {
  switch (overlay?.name) {
    case "palette":
      return (
        <Suspense fallback={null}>
          <Palette onClose={closeOverlay} />
        </Suspense>
      );
    case "keys":
      return <ShortcutList onClose={closeOverlay} />;
    case "new-session":
      return <NewSession isOpen onClose={closeOverlay} />;
    case "rename-session":
      return (
        <RenameSession sessionId={overlay.sessionId} title={overlay.title} onClose={closeOverlay} />
      );
    case "delete-session":
      return (
        <DeleteSession sessionId={overlay.sessionId} title={overlay.title} onClose={closeOverlay} />
      );
    case "sign-in":
      return (
        <Suspense fallback={null}>
          <SignIn agentId={overlay.agent} onClose={closeOverlay} />
        </Suspense>
      );
    case "agent-sessions":
      return (
        <Suspense fallback={null}>
          <AgentSessions key={overlay.agent} agentId={overlay.agent} onClose={closeOverlay} />
        </Suspense>
      );
    default:
      return null;
  }
}
