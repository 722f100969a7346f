import { isErrorCode, LandlineError, limitsOf, messageBytesHeader } from "@landline/protocol";
import { certificateProblem } from "@landline/system/certificate-problem";
import { WebSocket } from "ws";
import type { GatewayAddress } from "../gateway-fetch.ts";

export interface AcpSocket {
  readonly webSocket: WebSocket;
  /** The gateway reads no longer message. */
  readonly messageBytes: number;
}

/** Opens a WebSocket at `/acp`. Throws what the gateway answers, or `connection-lost`. */
export async function openAcpSocket(
  { url, socket, token }: GatewayAddress,
  agent: string | undefined,
): Promise<AcpSocket> {
  const query = agent === undefined ? "" : `?agent=${encodeURIComponent(agent)}`;
  const { pathname, origin } = new URL(url);
  const path = `${pathname.replace(/\/$/, "")}/acp${query}`;
  const address =
    typeof socket === "string"
      ? `ws+unix:${socket}:${path}`
      : `${origin.replace(/^http/, "ws")}${path}`;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const webSocket = new WebSocket(address, {
    headers,
    perMessageDeflate: false,
    handshakeTimeout: HANDSHAKE_MS,
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let messageBytes = MESSAGE_BYTES;
  webSocket.once("upgrade", ({ headers: { [messageBytesHeader]: given } }) => {
    messageBytes = Number(given) || MESSAGE_BYTES;
  });
  webSocket.once("open", resolve);
  webSocket.once("error", (error) => reject(unreachable(url, error)));
  webSocket.once("unexpected-response", (_request, response) => {
    let text = "";
    response.on("data", (chunk: Buffer) => {
      if (text.length < REFUSAL_LENGTH) text += chunk.toString();
    });
    response.on("end", () => reject(refusal(text, response.statusCode ?? 0)));
    response.on("error", (error) => reject(unreachable(url, error)));
  });
  await promise;
  webSocket.on("error", () => {});
  return { webSocket, messageBytes };
}

/** The limit of a gateway that was not reached yet, or does not say it. */
export const MESSAGE_BYTES = limitsOf("default").lineBytes;

const HANDSHAKE_MS = 30_000;
const REFUSAL_LENGTH = 10_000;

function unreachable(url: string, cause: Error): LandlineError {
  const certificate = certificateProblem(cause, "this command");
  return new LandlineError("connection-lost", {
    message: `The gateway at ${url} can't be reached: ${certificate?.message ?? cause.message}.`,
    help: certificate?.help ?? "See whether it is running, and whether the address is right.",
    cause,
  });
}

function refusal(text: string, status: number): LandlineError {
  let problem: { code?: unknown; message?: unknown; help?: unknown } = {};
  try {
    problem = JSON.parse(text) as typeof problem;
  } catch {
    // Not a response of Landline. The status has to suffice.
  }
  const { code, message, help } = problem;
  return new LandlineError(isErrorCode(code) ? code : "connection-lost", {
    message: typeof message === "string" ? message : `The gateway answered ${status}.`,
    ...(typeof help === "string" && { help }),
  });
}
