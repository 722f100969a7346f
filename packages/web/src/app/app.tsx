import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import { useLandline, useStore } from "@landline/client/react";
import type { CSSProperties } from "react";
import { Toaster } from "sonner";
import { usePreferences } from "../state/preferences.ts";
import { MeProvider } from "../state/session.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { Layout } from "./layout.tsx";
import { Overlays } from "./overlays.tsx";
import { PageShortcuts } from "./page-shortcuts.tsx";
import { AccessDenied, useIsAccessDenied } from "./access-denied.tsx";
import { useTheme } from "./use-theme.ts";
import { AttentionSignals } from "./attention-signals.tsx";

/** Uses the colours of the theme. */
const toastColours = {
  "--normal-bg": "var(--float)",
  "--normal-border": "var(--line)",
  "--normal-text": "var(--ink)",
  "--border-radius": "6px",
  "--toast-close-button-start": "unset",
  "--toast-close-button-end": "0",
  "--toast-close-button-transform": "translate(35%, -35%)",
} as CSSProperties;

const toastLooks = {
  style: { font: "inherit", fontSize: "var(--text-sm)", boxShadow: "var(--shadow)" },
  actionButtonStyle: { background: "var(--accent)", color: "var(--on-accent)", font: "inherit" },
  cancelButtonStyle: { background: "var(--raised)", color: "var(--ink)", font: "inherit" },
};

const toastIcons = {
  success: <CircleCheck size={16} strokeWidth={1.5} aria-hidden className="text-good" />,
  error: <CircleAlert size={16} strokeWidth={1.5} aria-hidden className="text-bad" />,
  warning: <TriangleAlert size={16} strokeWidth={1.5} aria-hidden className="text-ask" />,
  info: <Info size={16} strokeWidth={1.5} aria-hidden />,
};

export function App() {
  const { theme } = usePreferences();
  useTheme(theme);
  return (
    <MeProvider value={useStore(useLandline().me)}>
      {useIsAccessDenied() ? <AccessDenied /> : <Page />}
      <AttentionSignals />
      <Toaster
        theme={theme}
        position="top-center"
        closeButton
        visibleToasts={3}
        style={toastColours}
        toastOptions={toastLooks}
        icons={toastIcons}
      />
    </MeProvider>
  );
}

function Page() {
  return (
    <>
      <ErrorBoundary>
        <Layout />
      </ErrorBoundary>
      <Overlays />
      <PageShortcuts />
    </>
  );
}
