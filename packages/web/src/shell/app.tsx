import type { CSSProperties } from "react";
import { Toaster } from "sonner";
import { usePreferences } from "../state/preferences.ts";
import { MeProvider } from "../state/session.tsx";
import { Boundary } from "../ui/boundary.tsx";
import { Layout } from "./layout.tsx";
import { Overlays } from "./overlays.tsx";
import { PageKeys } from "./page-keys.tsx";
import { Refused, useIsOut } from "./refused.tsx";
import { useMeHeard } from "./use-me-heard.ts";
import { useTheme } from "./use-theme.ts";
import { Watchman } from "./watchman.tsx";

/** In our colours. */
const toastColours = {
  "--normal-bg": "var(--float)",
  "--normal-border": "var(--line)",
  "--normal-text": "var(--ink)",
  "--border-radius": "6px",
} as CSSProperties;

const toastLooks = {
  style: { font: "inherit", fontSize: "var(--text-sm)", boxShadow: "var(--shadow)" },
  actionButtonStyle: { background: "var(--accent)", color: "var(--on-accent)", font: "inherit" },
  cancelButtonStyle: { background: "var(--raised)", color: "var(--ink)", font: "inherit" },
};

export function App() {
  const { theme } = usePreferences();
  useTheme(theme);
  return (
    <MeProvider value={useMeHeard()}>
      {useIsOut() ? <Refused /> : <Page />}
      <Watchman />
      <Toaster
        theme={theme}
        position="top-center"
        closeButton
        visibleToasts={3}
        style={toastColours}
        toastOptions={toastLooks}
      />
    </MeProvider>
  );
}

function Page() {
  return (
    <>
      <Boundary>
        <Layout />
      </Boundary>
      <Overlays />
      <PageKeys />
    </>
  );
}
