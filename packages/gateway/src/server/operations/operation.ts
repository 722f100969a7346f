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

/** The context of every implementation, on every transport. */
export interface Call {
  readonly principal: Principal;
  readonly services: Services;
  /** A live session, or a dormant one from its log. Calls for one session get it in order. */
  readonly findSession: (sessionId: string) => Promise<Session>;
}

/** For HTTP-only operations, which may return a response of their own. */
export interface HttpCall extends Call, PublicCall {}

/** For operations that need no token. */
export interface PublicCall {
  readonly request: ServerRequest;
  readonly context: ServerContext;
}

/** For WebSocket-only operations, which send their reply themselves, before or after other frames. */
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

/** One function per row of the table: a missing or surplus one is a type error. */
export type Implementations = { readonly [Name in OperationName]: Implementation<Name> };

/** Rejects everything except letters, digits, `-` and `_`, so that no other id reaches code that opens files. */
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
