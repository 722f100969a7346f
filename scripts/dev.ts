import { spawn } from "node:child_process";
import { once } from "node:events";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { createServer } from "vite";
import "./end-with-parent.ts";

/**
 * `npm run dev`: a gateway from source behind the Vite dev server, which updates the page when a file is saved. They end
 * together, even after SIGKILL. Arguments are passed to `landline serve`.
 */
const root = path.join(import.meta.dirname, "..");
const web = path.join(root, "packages/web");
const gateway = startGateway(process.argv.slice(2));
const ended = once(gateway, "exit");
const stop = () => gateway.kill("SIGTERM");
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);

const listening = await Promise.race([firstLine(), ended.then(() => null)]);
if (listening !== null) await servePage(listening);
const [code] = (await ended) as [number | null];
process.exitCode = code ?? 1;

interface Listening {
  readonly url: string;
  readonly token: string;
}

function startGateway(flags: readonly string[]) {
  const script = path.join(root, "packages/cli/src/start.ts");
  const preload = pathToFileURL(path.join(import.meta.dirname, "end-with-parent.ts")).href;
  const options = ["--conditions=@landline/source", `--import=${preload}`];
  const serve = ["serve", "--json", "--next-port", ...flags];
  return spawn(process.execPath, [...options, script, ...serve], {
    // A terminal sends Ctrl-C to the whole process group. Detach the gateway, so that only this process ends it.
    detached: process.platform !== "win32",
    // The IPC channel closes when this process ends, however it ends.
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
}

async function firstLine(): Promise<Listening | null> {
  const { stdout } = gateway;
  if (stdout === null) return null;
  for await (const line of createInterface({ input: stdout })) return JSON.parse(line) as Listening;
  return null;
}

async function servePage({ url, token }: Listening): Promise<void> {
  process.env["LANDLINE_URL"] = url;
  try {
    const server = await createServer({ root: web, configFile: path.join(web, "vite.config.ts") });
    // Vite exits at once on a signal, but the gateway needs time to shut down.
    for (const listener of process.listeners("SIGTERM"))
      if (listener !== stop) process.off("SIGTERM", listener);
    await server.listen();
    const [address] = server.resolvedUrls?.local ?? [];
    console.log(`${address ?? ""}#token=${encodeURIComponent(token)}`);
    await ended;
    await server.close();
  } catch (error) {
    stop();
    throw error;
  }
}
