import { randomBytes } from "node:crypto";
import { chmod, mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { processExists } from "@landline/system/signals";
import { ownFolder, type ProxiedNetwork } from "./bubblewrap.ts";
import { type HostPattern, parseHostPattern } from "./host-pattern.ts";
import { NetworkProxy } from "./network-proxy.ts";
import type { ConfinedCall, ProgramCall } from "./policy.ts";

/** The network of one confined program: a proxy outside the sandbox, and the connection to it. */
export interface OpenNetwork extends ProxiedNetwork, Pick<ConfinedCall, "deniedHosts" | "close"> {
  /** The port of the proxy as seen from inside. */
  readonly port: number;
  /** The call that first connects the sandbox to the proxy. */
  through(call: ProgramCall): ProgramCall;
}

const relay = {
  from: fileURLToPath(new URL("./relay.cjs", import.meta.url)),
  at: join(ownFolder, "relay.cjs"),
};
const socketInside = join(ownFolder, "proxy");
/** The relay's port. The network namespace contains nothing else, and the port is outside the ephemeral range. */
const relayPort = 61_080;

/** The program replaces the shell, so its exit status, signals and parent are the same as without the relay. */
const startScript = `[ "$(NODE_OPTIONS= NODE_V8_COVERAGE= "$0" "$1" "$2" "$3" < /dev/null 2> /dev/null &)" = ready ] ||
  { echo 'The network of the sandbox did not start.' >&2; exit 126; }
shift 3
exec "$@"`;

/**
 * For bubblewrap. The sandbox has its own network namespace without external access. The proxy listens on a Unix
 * socket. A relay inside (relay.cjs) listens on a port, because programs expect a proxy with a port.
 */
export async function openSocketNetwork(
  hosts: readonly string[],
  data: string,
): Promise<OpenNetwork> {
  const patterns = parsePatterns(hosts);
  const folder = join(data, "network");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  await removeStale(folder);
  const name = `${process.pid}-${randomBytes(8).toString("hex")}`;
  // The socket is addressed by descriptor, because the path of a socket has at most 107 bytes.
  const handle = await open(folder);
  const path = `/proc/self/fd/${handle.fd}/${name}`;
  const proxy = await NetworkProxy.open({ patterns, at: { path } }).catch(
    async (error: unknown) => {
      await handle.close();
      throw error;
    },
  );
  let closing: Promise<void> | undefined;
  return {
    port: relayPort,
    files: [relay, { from: join(folder, name), at: socketInside }],
    environment: environmentFor(patterns, relayPort),
    through: ({ file, args, ...call }) => {
      const start = [process.execPath, relay.at, socketInside, String(relayPort)];
      return { ...call, file: "/bin/sh", args: ["-c", startScript, ...start, file, ...args] };
    },
    deniedHosts: () => proxy.deniedHosts(),
    close: () => (closing ??= proxy.close().then(() => handle.close())),
  };
}

/** For sandbox-exec, which has no network namespace but can allow single ports. */
export async function openPortNetwork(hosts: readonly string[]): Promise<OpenNetwork> {
  const patterns = parsePatterns(hosts);
  const proxy = await NetworkProxy.open({ patterns, at: { host: "127.0.0.1", port: 0 } });
  return {
    port: proxy.port,
    files: [],
    environment: environmentFor(patterns, proxy.port),
    through: (call) => call,
    deniedHosts: () => proxy.deniedHosts(),
    close: () => proxy.close(),
  };
}

function parsePatterns(hosts: readonly string[]): HostPattern[] {
  return hosts.map((text) => {
    const pattern = parseHostPattern(text);
    if (pattern === null) throw new Error(`${JSON.stringify(text)} is not a host.`);
    return pattern;
  });
}

/**
 * Servers that the program starts itself are reached directly, unless the list names outside servers by the same name.
 */
function environmentFor(patterns: readonly HostPattern[], port: number): Record<string, string> {
  const direct = ["localhost", "127.0.0.1", "::1"].filter(
    (host) => !patterns.some((pattern) => pattern.host === host),
  );
  const proxy = `http://127.0.0.1:${port}`;
  const variables = {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    ALL_PROXY: proxy,
    NO_PROXY: direct.join(","),
  };
  const lowerCase = Object.entries(variables).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...variables, ...Object.fromEntries(lowerCase), NODE_USE_ENV_PROXY: "1" };
}

/** Removes sockets of processes that were killed. Other sockets may be in use. */
async function removeStale(folder: string): Promise<void> {
  const stale = (await readdir(folder)).filter((name) => !processExists(Number.parseInt(name, 10)));
  await Promise.all(stale.map((name) => rm(join(folder, name), { force: true })));
}
