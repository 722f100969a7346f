import { operationNames, rowOf, routeOf } from "@landline/protocol";

export interface GuardedPath {
  /** A pattern of Hono. */
  readonly pattern: string;
  /** Whether the cookie of earlier versions is accepted. */
  readonly acceptsCookie: boolean;
}

/**
 * Paths that need a token, from the operation table. A folder is guarded as a whole if all its operations need one, so
 * that unknown addresses are indistinguishable without a token.
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
