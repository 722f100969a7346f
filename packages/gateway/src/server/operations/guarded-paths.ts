import { operationNames, rowOf, routeOf } from "@landline/protocol";

export interface GuardedPath {
  /** A pattern of Hono. */
  readonly pattern: string;
  /** Whether the cookie of earlier versions counts there. */
  readonly acceptsCookie: boolean;
}

/**
 * Where a token is needed, from the table of operations. A folder is guarded as a whole if every operation in it needs
 * a token, so that without one an unknown address looks like any other.
 */
export function guardedPaths(): readonly GuardedPath[] {
  const routed = operationNames.filter((name) => rowOf(name).http !== null);
  const folders = Map.groupBy(routed, (name) => routeOf(name).path.split("/")[1] ?? "");
  return [...folders].flatMap(([folder, names]) =>
    names.some((name) => rowOf(name).role === "anyone" || rowOf(name).cookie)
      ? names
          .filter((name) => rowOf(name).role !== "anyone")
          .map((name) => ({
            pattern: routeOf(name).path,
            acceptsCookie: rowOf(name).cookie === true,
          }))
      : [{ pattern: `/${folder}/*`, acceptsCookie: false }],
  );
}
