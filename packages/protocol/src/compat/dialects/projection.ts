import type { UnknownEvent } from "../../decode.ts";
import type { EventKind, Numbered, SessionEvent } from "../../events.ts";

/** A dialect: the frames for every kind of event. A kind without frames has a row with the reason. */
export type Projections<Body> = {
  readonly [Kind in EventKind]: (
    event: Extract<SessionEvent, { readonly kind: Kind }>,
  ) => readonly Body[];
};

/** Returns `undefined` for an event of an unknown kind. */
export function project<Body>(
  projections: Projections<Body>,
  event: SessionEvent | UnknownEvent,
): readonly Body[] | undefined {
  if (!Object.hasOwn(projections, event.kind)) return undefined;
  // The table is keyed by kind, which TypeScript does not follow through a lookup.
  const projection = projections[event.kind as EventKind] as (event: unknown) => readonly Body[];
  return projection(event);
}

/** The fields of an event without kind, sequence number and time. */
export function fieldsOf<Event extends Numbered & { readonly kind: string }>(
  event: Event,
): Omit<Event, "kind" | "seq" | "at"> {
  const { kind: _kind, seq: _seq, at: _at, ...fields } = event;
  return fields;
}

type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Omits undefined fields. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>;
}
