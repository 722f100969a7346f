import { useMemo } from "react";
import { useHashLocation } from "wouter/use-hash-location";
import { routeOf, type Route } from "./routes.ts";

export function useRoute(): Route {
  const [location] = useHashLocation();
  return useMemo(() => routeOf(location), [location]);
}
