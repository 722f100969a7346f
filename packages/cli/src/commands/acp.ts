import { once } from "node:events";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { loadConfig } from "@landline/gateway";
import { LandlineError } from "@landline/protocol";
import { LineSplitter } from "@landline/system/line-splitter";
import { WebSocketLines } from "@landline/system/web-socket-lines";
import { WebSocket } from "ws";
import type { CommandContext, PlaceOptions } from "../command-context.ts";
import { exitCode } from "../exit-code.ts";
import type { GatewayAddress } from "../gateway-fetch.ts";
import { readGatewayFile } from "../gateway-file.ts";
import { startBackgroundGateway } from "../background-gateway.ts";
import type { Editor } from "./acp-config.ts";

interface AcpOptions extends PlaceOptions {
  readonly agent?: string;
  /** The link of another gateway, with its token, as that gateway prints it. */
  readonly gateway?: string;
  /** HOST:PORT for clients over TCP, in place of stdin and stdout. */
  readonly listen?: string;
  readonly insecureLan?: boolean;
  readonly printConfig?: Editor;
}

/** Connects an ACP client on stdin and stdout to `/acp` of a gateway. Starts a gateway if none is running here. */
export async function acp(
  context: CommandContext,
  { agent, gateway, listen, insecureLan = false, printConfig, ...place }: AcpOptions,
): Promise<number> {
  if (printConfig !== undefined) {
    const launch = { ...place, ...(agent && { agent }), ...(gateway && { gateway }) };
    return (await import("./acp-config.ts")).printConfig(context, printConfig, launch);
  }
  const address =
    gateway === undefined ? await localGateway(place) : addressOf(gateway, process.env);
  if (listen !== undefined) {
    const { listenForAcp } = await import("./acp-listen.ts");
    return listenForAcp(context, {
      address: listen,
      insecureLan,
      // Not by the socket of the data folder, which needs no token.
      serve: async (stream, token) =>
        passTo(await connect({ url: address.url, token }, agent), stream),
    });
  }
  const webSocket = await connect(address, agent);
  const closed = once(webSocket, "close") as Promise<[number, Buffer]>;
  // The end of the input closes the socket, and the end of the socket ends the output.
  const passed = pipeline(process.stdin, linesOf, new WebSocketLines(webSocket), process.stdout);
  await passed.catch(() => {});
  webSocket.close();
  const [code, reason] = await closed;
  if (code === NORMAL_CLOSURE || code === NO_STATUS) return exitCode.done;
  throw new LandlineError("connection-lost", { message: closeMessage(code, reason) });
}

/** Resolves when the client or the gateway has ended the connection. */
async function passTo(webSocket: WebSocket, client: Duplex): Promise<void> {
  await pipeline(client, linesOf, new WebSocketLines(webSocket), client).catch(() => {});
  webSocket.terminate();
}

const NORMAL_CLOSURE = 1000;
const NO_STATUS = 1005;

function closeMessage(code: number, reason: Buffer): string {
  const why = reason.length === 0 ? "" : `: ${reason.toString()}`;
  return `The gateway closed the connection (${code}${why}).`;
}

async function localGateway(place: PlaceOptions): Promise<GatewayAddress> {
  const { dataFolder } = await loadConfig({ flags: place });
  return (await readGatewayFile(dataFolder)) ?? startBackgroundGateway(dataFolder, place);
}

/** The token is in the fragment of the link, or in the environment. */
function addressOf(link: string, { LANDLINE_TOKEN }: NodeJS.ProcessEnv): GatewayAddress {
  const url = URL.parse(link);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new LandlineError("invalid-params", {
      message: "--gateway must be an address such as https://example.org/#token=….",
    });
  const token = new URLSearchParams(url.hash.slice(1)).get("token") ?? LANDLINE_TOKEN;
  url.hash = "";
  return { url: url.href.replace(/\/$/, ""), ...(token !== undefined && { token }) };
}

async function connect({ url, socket, token }: GatewayAddress, agent?: string): Promise<WebSocket> {
  const query = agent === undefined ? "" : `?agent=${encodeURIComponent(agent)}`;
  const { pathname } = new URL(url);
  const path = `${pathname.replace(/\/$/, "")}/acp${query}`;
  const address =
    typeof socket === "string"
      ? `ws+unix:${socket}:${path}`
      : `${new URL(url).origin.replace(/^http/, "ws")}${path}`;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const webSocket = new WebSocket(address, { headers, perMessageDeflate: false });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  webSocket.once("open", resolve);
  webSocket.once("error", reject);
  webSocket.once("unexpected-response", (_request, response) => {
    let text = "";
    response.on("data", (chunk: Buffer) => (text += chunk.toString()));
    response.on("end", () => reject(refusal(text, response.statusCode ?? 0)));
  });
  await promise;
  webSocket.on("error", () => {});
  return webSocket;
}

function refusal(text: string, status: number): LandlineError {
  let message = `The gateway answered ${status}.`;
  let help: string | undefined;
  try {
    const problem = JSON.parse(text) as { message?: unknown; help?: unknown };
    if (typeof problem.message === "string") message = problem.message;
    if (typeof problem.help === "string") help = problem.help;
  } catch {
    // Not a response of Landline. The status has to suffice.
  }
  return new LandlineError("connection-lost", { message, ...(help !== undefined && { help }) });
}

/** Yields whole lines, one per chunk, as `WebSocketLines` requires. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncIterable<string> {
  let lines: string[] = [];
  const keep = (line: string) => void lines.push(line);
  const splitter = new LineSplitter(MESSAGE_BYTES, {
    line: keep,
    // The gateway reports what is wrong with invalid lines.
    invalidLine: keep,
    oversizedLine: ({ head }) => keep(head),
  });
  for await (const chunk of input) {
    splitter.push(chunk);
    yield* lines;
    lines = [];
  }
  splitter.end();
  yield* lines;
}

const MESSAGE_BYTES = 32 * 1_024 * 1_024;
