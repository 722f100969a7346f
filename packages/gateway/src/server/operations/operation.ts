import {
  LandlineError,
  type Input,
  type OperationName,
  type operations,
  type Output,
} from "@landline/protocol";
import type { Session } from "../../sessions/sessions.ts";
import type { Principal } from "../auth.ts";
import type { ServerContext, ServerRequest } from "../context.ts";
import type { Peer } from "../peer.ts";
import type { Services } from "../services.ts";

/** What every implementation is given, whichever transport the call came by. */
export interface Call {
  readonly principal: Principal;
  readonly services: Services;
  /** A live session, or a dormant one from its log. Calls for one session get it in the order in which they came. */
  readonly findSession: (sessionId: string) => Promise<Session>;
}

/** Of an operation that is reached over HTTP only: it may answer with a response of its own. */
export interface HttpCall extends Call, PublicCall {}

/** Of an operation that needs no token. */
export interface PublicCall {
  readonly request: ServerRequest;
  readonly context: ServerContext;
}

/** Of an operation that is reached over WebSocket only: it replies itself, before or after other frames. */
export interface SocketCall extends Call {
  readonly peer: Peer;
  readonly reply: (result: object) => void;
}

type Row<Name extends OperationName> = (typeof operations)[Name];

type Implementation<Name extends OperationName> =
  Row<Name> extends { readonly http: null }
    ? (input: Input<Name>, call: SocketCall) => Awaitable<void>
    : Row<Name> extends { readonly socket: true }
      ? (input: Input<Name>, call: Call) => Awaitable<Output<Name>>
      : Row<Name> extends { readonly role: "anyone" }
        ? (input: Input<Name>, call: PublicCall) => Awaitable<Output<Name> | Response>
        : (input: Input<Name>, call: HttpCall) => Awaitable<Output<Name> | Response>;

type Awaitable<Value> = Value | Promise<Value>;

/** One function for each row of the table: a missing or a surplus one is a type error. */
export type Implementations = { readonly [Name in OperationName]: Implementation<Name> };

/** Ids are letters, digits, `-` and `_`: anything else is no session, and reaches nothing that opens files. */
export function checkedId(id: string): string {
  if (!/^[\w-]{1,128}$/.test(id)) throw new LandlineError("session-not-found");
  return id;
}

export function wrongField(field: string, complaint: string): LandlineError {
  return new LandlineError("invalid-params", {
    message: `${field} ${complaint}.`,
    data: { field },
  });
}
