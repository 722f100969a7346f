import type { SessionEvent, UnknownEvent } from "@landline/protocol";

/** An event of a log, known to this version or not. */
export type AnyEvent = SessionEvent | UnknownEvent;
