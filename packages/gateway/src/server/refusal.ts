import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorRow, type LandlineError, toProblem } from "@landline/protocol";

/** Responds to a refused upgrade with a readable error. */
export function refuseUpgrade(socket: Duplex, error: LandlineError): void {
  const status = errorRow(error.code).http;
  const body = JSON.stringify(toProblem(error));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Connection: close",
    "Content-Type: application/json",
    "X-Content-Type-Options: nosniff",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  if (error.retryAfterMs !== undefined)
    head.push(`Retry-After: ${Math.ceil(error.retryAfterMs / 1_000)}`);
  socket.once("finish", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
