import type { RpcError } from "./prompt-result.ts";

/** Thrown if the default answer to a request is an error. */
export class Refusal extends Error {
  readonly error: RpcError;

  constructor(error: RpcError) {
    super(error.message);
    this.error = error;
  }
}

export function invalidParams(message: string): Refusal {
  return new Refusal({ code: -32602, message });
}

export function notSupported(method: string): Refusal {
  return new Refusal({ code: -32601, message: "Method not found", data: { method } });
}
