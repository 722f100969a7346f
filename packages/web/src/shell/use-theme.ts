import { useLayoutEffect } from "react";
import type { Preferences } from "../state/preferences.ts";

/** What theme.css goes by; without it the system decides. */
export function useTheme(theme: Preferences["theme"]): void {
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === "system") delete dataset["theme"];
    else dataset["theme"] = theme;
  }, [theme]);
}
