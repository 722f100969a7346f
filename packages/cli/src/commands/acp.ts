import { createApi } from "@landline/client";
import { loadConfig } from "@landline/gateway";
import { LandlineError } from "@landline/protocol";
import { onTerminationSignal } from "@landline/system/termination-signal";
import { AcpBridge, type BridgeParts } from "../acp/bridge.ts";
import { openAcpSocket } from "../acp/gateway-socket.ts";
import { bridgeClient } from "../acp/tcp-bridge.ts";
import { startBackgroundGateway } from "../background-gateway.ts";
import type { CommandContext, PlaceOptions } from "../command-context.ts";
import { exitCode } from "../exit-code.ts";
import { gatewayFetch, type GatewayAddress } from "../gateway-fetch.ts";
import { readGatewayFile } from "../gateway-file.ts";
import { sessionOf } from "../session-list.ts";
import type { Editor } from "./acp-config.ts";

interface AcpOptions extends PlaceOptions {
  readonly agent?: string;
  /** A session: its id, the beginning of its id, or `last`. */
  readonly attach?: string;
  /** The link of another gateway, with its token, as that gateway prints it. */
  readonly gateway?: string;
  /** HOST:PORT for clients over TCP, in place of stdin and stdout. */
  readonly listen?: string;
  readonly insecureLan?: boolean;
  readonly printConfig?: Editor;
  /** The id of a sign-in method of the agent, to run in this terminal. */
  readonly signIn?: string;
}

/** Connects an ACP client on stdin and stdout to `/acp` of a gateway. Starts a gateway if none is running here. */
export async function acp(
  context: CommandContext,
  { attach, listen, insecureLan = false, printConfig, signIn, ...options }: AcpOptions,
): Promise<number> {
  const { agent, gateway, ...place } = options;
  if (printConfig !== undefined)
    return (await import("./acp-config.ts")).printConfig(context, printConfig, options);
  const whereIs = (isNeeded: boolean) => addressOf(gateway, place, isNeeded);
  const note = (text: string) => context.output.note(text);
  if (listen !== undefined) {
    await whereIs(true);
    const { listenForAcp } = await import("./acp-listen.ts");
    return listenForAcp(context, {
      address: listen,
      insecureLan,
      serve: (stream, token) => {
        // Not by the socket of the data folder, which needs no token.
        const withToken = async (isNeeded: boolean) => ({
          url: (await whereIs(isNeeded)).url,
          token,
        });
        return bridgeClient(stream, { ...connector(withToken, agent, attach), note });
      },
    });
  }
  if (signIn !== undefined) {
    const { signInHere } = await import("../acp/sign-in.ts");
    return signInHere(context, await whereIs(true), { agent, methodId: signIn });
  }
  const ending = new AbortController();
  using _signals = onTerminationSignal(() => ending.abort());
  const isTerminal = process.stdin.isTTY;
  const bridge: AcpBridge = new AcpBridge({
    ...connector(whereIs, agent, attach),
    input: process.stdin,
    output: process.stdout,
    signal: ending.signal,
    isTerminal,
    endsOnFailure: isTerminal,
    note,
  });
  await bridge.run();
  return exitCode.done;
}

/** Connects to `/acp`. With `attach`, the first connection finds the session. */
function connector(
  whereIs: (isNeeded: boolean) => Promise<GatewayAddress>,
  agent: string | undefined,
  attach: string | undefined,
): Pick<BridgeParts, "connect" | "attached"> {
  let attached: Attached | null = null;
  return {
    attached: () => attached?.sessionId ?? null,
    connect: async (isNeeded) => {
      const address = await whereIs(isNeeded);
      if (attach !== undefined) attached ??= await findSession(address, attach);
      return await openAcpSocket(address, agent ?? attached?.agent);
    },
  };
}

interface Attached {
  readonly sessionId: string;
  readonly agent: string;
}

async function findSession(address: GatewayAddress, typed: string): Promise<Attached> {
  const { url, token } = address;
  const fetch = gatewayFetch(address);
  return sessionOf(createApi({ url, fetch, ...(token !== undefined && { token }) }), typed);
}

async function addressOf(
  link: string | undefined,
  place: PlaceOptions,
  isNeeded: boolean,
): Promise<GatewayAddress> {
  const { dataFolder } = await loadConfig({ flags: place });
  const running = await readGatewayFile(dataFolder);
  if (link !== undefined) return linked(link, running, process.env);
  if (running) return running;
  if (isNeeded) return startBackgroundGateway(dataFolder, place);
  throw new LandlineError("gateway-not-running");
}

/** The token is in the fragment of the link, in the environment, or known because it is the gateway of this machine. */
function linked(
  link: string,
  running: GatewayAddress | null,
  { LANDLINE_TOKEN }: NodeJS.ProcessEnv,
): GatewayAddress {
  const parsed = URL.parse(link);
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw new LandlineError("invalid-params", {
      message: "--gateway must be an address such as https://example.org/#token=….",
    });
  const token = new URLSearchParams(parsed.hash.slice(1)).get("token") ?? LANDLINE_TOKEN;
  parsed.hash = "";
  const url = parsed.href.replace(/\/$/, "");
  if (token !== undefined) return { url, token };
  return running?.url === url ? running : { url };
}
