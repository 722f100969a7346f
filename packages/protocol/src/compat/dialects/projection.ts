import type { UnknownEvent } from "../../decode.ts";
import type { EventKind, Numbered, SessionEvent } from "../../events.ts";

/** A dialect: for every kind of event, what it says. A kind that says nothing is there too, with why. */
export type Projections<Body> = {
  readonly [Kind in EventKind]: (
    event: Extract<SessionEvent, { readonly kind: Kind }>,
  ) => readonly Body[];
};

/** `undefined` for an event of a kind that nobody knows. */
export function project<Body>(
  projections: Projections<Body>,
  event: SessionEvent | UnknownEvent,
): readonly Body[] | undefined {
  if (!Object.hasOwn(projections, event.kind)) return undefined;
  // The table is keyed by kind, which TypeScript can't follow through a look-up.
  const say = projections[event.kind as EventKind] as (event: unknown) => readonly Body[];
  return say(event);
}

/** What an event carries, without its kind, number and time. */
export function fieldsOf<Event extends Numbered & { readonly kind: string }>(
  event: Event,
): Omit<Event, "kind" | "seq" | "at"> {
  const { kind: _kind, seq: _seq, at: _at, ...fields } = event;
  return fields;
}

type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Leaves out the fields that are undefined. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>;
}
