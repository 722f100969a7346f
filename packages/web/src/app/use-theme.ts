import { useLayoutEffect } from "react";
import type { Preferences } from "../state/preferences.ts";

/** Sets the attribute that theme.css reads; without it the system's scheme applies. */
export function useTheme(theme: Preferences["theme"]): void {
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === "system") delete dataset["theme"];
    else dataset["theme"] = theme;
  }, [theme]);
}
