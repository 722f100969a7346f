import { startGateway, type Gateway, type GatewayOptions } from "@landline/gateway";
import { LandlineError } from "@landline/protocol";
import { isDiskFull } from "@landline/system/error-code";
import { readGatewayFile, removeGatewayFile, writeGatewayFile } from "./gateway-file.ts";

/** A gateway in this process, which other commands can find while it runs. */
export interface OwnGateway extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly socket: string | null;
  readonly token: string;
  readonly reloadCertificate: Gateway["reloadCertificate"];
  close(): Promise<void>;
}

export async function startOwnGateway(options: GatewayOptions): Promise<OwnGateway> {
  const { dataFolder } = options;
  const { pid } = process;
  const gateway = await start(options);
  const { url, port, socket, token, reloadCertificate } = gateway;
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= closeBoth(gateway, dataFolder));
  try {
    await writeGatewayFile(dataFolder, { url, pid, ...(socket === null ? { token } : { socket }) });
  } catch (error) {
    // It must run even on a full disk, so that sessions can be deleted.
    if (!isDiskFull(error)) {
      await close();
      throw error;
    }
  }
  return { url, port, socket, token, reloadCertificate, close, [Symbol.asyncDispose]: close };
}

async function closeBoth(gateway: Gateway, dataFolder: string): Promise<void> {
  // First, so that no command connects to a gateway that is ending.
  await removeGatewayFile(dataFolder, process.pid);
  await gateway.close();
}

async function start(options: GatewayOptions): Promise<Gateway> {
  try {
    return await startGateway(options);
  } catch (error) {
    if (!(error instanceof LandlineError) || error.code !== "folder-locked") throw error;
    const running = await readGatewayFile(options.dataFolder);
    if (!running) throw error;
    throw new LandlineError("folder-locked", {
      message: `Landline is already running for this data folder, at ${running.url} (process ${running.pid}).`,
      help: "`landline token url` prints its address with the token. Stop it first, or choose another folder with --data.",
      cause: error,
    });
  }
}

const PORTS_TRIED = 50;

/** Starts on that port, or on the next free one. */
export async function startOnFreePort(options: GatewayOptions): Promise<OwnGateway> {
  for (let port = options.port; ; port += 1) {
    try {
      return await startOwnGateway({ ...options, port });
    } catch (error) {
      const isLast = port === 0 || port >= options.port + PORTS_TRIED || port >= 65_535;
      if (isLast || !isTaken(error)) throw error;
    }
  }
}

function isTaken(error: unknown): boolean {
  const { cause } = error as { readonly cause?: NodeJS.ErrnoException };
  return error instanceof LandlineError && cause?.code === "EADDRINUSE";
}
