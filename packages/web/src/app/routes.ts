export const settingsTabs = ["preferences", "agents", "rules", "devices", "about"] as const;

export type SettingsTab = (typeof settingsTabs)[number];

/** The route in the hash of the URL. */
export type Route =
  | { readonly name: "home" }
  | { readonly name: "session"; readonly sessionId: string; readonly at: number | null }
  | { readonly name: "protocol"; readonly sessionId: string }
  | { readonly name: "settings"; readonly tab: SettingsTab };

/** Parses "/s/ID?at=12". An unknown route is home. */
export function routeOf(location: string): Route {
  const [path = "", query = ""] = location.replace(/^#/, "").split("?", 2);
  const [room, name = "", page] = path.split("/").filter(Boolean);
  if (room === "settings") return { name: "settings", tab: tabOf(name) };
  const sessionId = decoded(name);
  if (room !== "s" || sessionId === "") return { name: "home" };
  if (page === "protocol") return { name: "protocol", sessionId };
  return { name: "session", sessionId, at: eventOf(query) };
}

/** What a browser shows whose link is limited to one session: that session, whatever its address says. */
export function routeWithin(route: Route, onlySession: string | null): Route {
  if (onlySession === null) return route;
  if ("sessionId" in route && route.sessionId === onlySession) return route;
  return { name: "session", sessionId: onlySession, at: null };
}

export function hrefOf(route: Route): string {
  switch (route.name) {
    case "session":
      return `#/s/${encodeURIComponent(route.sessionId)}${route.at === null ? "" : `?at=${route.at}`}`;
    case "protocol":
      return `#/s/${encodeURIComponent(route.sessionId)}/protocol`;
    case "settings":
      return `#/settings/${route.tab}`;
    default:
      return "#/";
  }
}

export function sessionHref(sessionId: string): string {
  return hrefOf({ name: "session", sessionId, at: null });
}

export function go(route: Route): void {
  location.hash = hrefOf(route);
}

export function goToSession(sessionId: string): void {
  go({ name: "session", sessionId, at: null });
}

function tabOf(name: string): SettingsTab {
  return settingsTabs.find((tab) => tab === name) ?? "preferences";
}

function eventOf(query: string): number | null {
  const at = Number(new URLSearchParams(query).get("at") ?? Number.NaN);
  return Number.isSafeInteger(at) && at > 0 ? at : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
