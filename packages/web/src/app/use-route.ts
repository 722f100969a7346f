import { useMemo } from "react";
import { useHashLocation } from "wouter/use-hash-location";
import { useOnlySession } from "../state/session.tsx";
import { routeOf, routeWithin, type Route } from "./routes.ts";

export function useRoute(): Route {
  const [location] = useHashLocation();
  const onlySession = useOnlySession();
  return useMemo(() => routeWithin(routeOf(location), onlySession), [location, onlySession]);
}
