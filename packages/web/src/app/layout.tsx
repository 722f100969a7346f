import { X } from "lucide-react";
import { lazy, Suspense, type ReactNode } from "react";
import { Panel } from "../panel/panel.tsx";
import { Home } from "../sessions/home.tsx";
import { SessionList } from "../sessions/session-list.tsx";
import { RulesDamageBar } from "../settings/rules-damage.tsx";
import { usePreferences } from "../state/preferences.ts";
import { SessionProvider, useOnlySession } from "../state/session.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { ConnectionBar } from "./connection-bar.tsx";
import { LimitedBar } from "./limited-bar.tsx";
import { medium, useMediaQuery, wide } from "./use-media-query.ts";
import { closeOverlay, useOverlay } from "./overlay.ts";
import { ProtocolPage } from "./protocol-page.tsx";
import type { Route } from "./routes.ts";
import { SessionPage } from "./session-page.tsx";
import { SkipLink } from "./skip-link.tsx";
import { usePageFocus } from "./use-page-focus.ts";
import { useRoute } from "./use-route.ts";

const Settings = lazy(async () => ({
  default: (await import("../settings/settings.tsx")).Settings,
}));

/** List, main content and panel: columns on wide screens, sheets on narrow ones. */
export function Layout() {
  const route = useRoute();
  usePageFocus(route);
  const isLimited = useOnlySession() !== null;
  return (
    <div className="flex h-dvh flex-col pt-[env(safe-area-inset-top)] pr-[env(safe-area-inset-right)] pl-[env(safe-area-inset-left)]">
      <SkipLink />
      <ConnectionBar />
      <LimitedBar />
      <RulesDamageBar isOnRulesPage={route.name === "settings" && route.tab === "rules"} />
      <div className="flex min-h-0 grow">
        {isLimited ? null : <Sessions />}
        <Shown route={route} />
      </div>
    </div>
  );
}

function Sessions() {
  const { isListShown } = usePreferences();
  const isColumn = useMediaQuery(medium);
  const overlay = useOverlay();
  if (!isColumn) {
    return (
      <Sheet
        name="Conversations"
        side="left"
        isOpen={overlay?.name === "list"}
        onClose={closeOverlay}
      >
        <nav aria-label="Conversations" className="flex min-h-0 grow flex-col">
          <ErrorBoundary>
            <SessionList />
          </ErrorBoundary>
        </nav>
      </Sheet>
    );
  }
  if (!isListShown) return null;
  return (
    <nav
      aria-label="Conversations"
      className="flex w-65 shrink-0 flex-col border-r border-line bg-sunken"
    >
      <ErrorBoundary>
        <SessionList />
      </ErrorBoundary>
    </nav>
  );
}

function Shown({ route }: { readonly route: Route }) {
  if (route.name === "home" || route.name === "settings") {
    return (
      <Main of={route}>
        <Suspense fallback={null}>
          {route.name === "home" ? <Home /> : <Settings tab={route.tab} />}
        </Suspense>
      </Main>
    );
  }
  return (
    <SessionProvider key={route.sessionId} sessionId={route.sessionId}>
      <Main of={route}>{route.name === "session" ? <SessionPage /> : <ProtocolPage />}</Main>
      {route.name === "session" ? <Details /> : null}
    </SessionProvider>
  );
}

function Main({ of, children }: { readonly of: Route; readonly children: ReactNode }) {
  return (
    <main id="main" tabIndex={-1} className="flex min-w-0 grow flex-col outline-none">
      <ErrorBoundary of={of}>{children}</ErrorBoundary>
    </main>
  );
}

function Details() {
  const { isPanelShown } = usePreferences();
  const isColumn = useMediaQuery(wide);
  const overlay = useOverlay();
  if (!isColumn) {
    return (
      <Sheet name="Details" side="right" isOpen={overlay?.name === "panel"} onClose={closeOverlay}>
        <div className="flex min-h-12 shrink-0 items-center border-b border-line px-2">
          <h2 className="grow px-2 text-sm font-semibold">Details</h2>
          <IconButton icon={X} name="Hide details" onClick={closeOverlay} />
        </div>
        <aside
          aria-label="Details"
          className="min-h-0 grow overflow-y-auto pb-[env(safe-area-inset-bottom)]"
        >
          <ErrorBoundary>
            <Panel />
          </ErrorBoundary>
        </aside>
      </Sheet>
    );
  }
  if (!isPanelShown) return null;
  return (
    <aside
      aria-label="Details"
      className="w-80 shrink-0 overflow-y-auto border-l border-line bg-sunken"
    >
      <ErrorBoundary>
        <Panel />
      </ErrorBoundary>
    </aside>
  );
}
