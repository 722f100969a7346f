import { getPreferences, setPreferences } from "../state/preferences.ts";
import { matches, medium, wide } from "./use-media-query.ts";
import { toggleOverlay } from "./overlay.ts";

/** Toggles a column (stored as a preference), or a sheet on narrow screens. */
export function toggleList(): void {
  if (matches(medium)) setPreferences({ isListShown: !getPreferences().isListShown });
  else toggleOverlay({ name: "list" });
}

export function togglePanel(): void {
  if (matches(wide)) setPreferences({ isPanelShown: !getPreferences().isPanelShown });
  else toggleOverlay({ name: "panel" });
}
