import { loadConfig, type ConfigFlags, type GatewayOptions } from "@landline/gateway";
import packageFacts from "../../package.json" with { type: "json" };
import { builtInAgent } from "../built-in-agent.ts";
import type { CommandContext, JsonOption } from "../command-context.ts";
import { hasControllingTerminal } from "@landline/system/controlling-terminal";
import { isLoopbackHost } from "@landline/system/loopback";
import { onTerminationSignal } from "@landline/system/termination-signal";
import { exitCode } from "../exit-code.ts";
import type { Output } from "../output.ts";
import { startOnFreePort, startOwnGateway, type OwnGateway } from "../own-gateway.ts";
import { pageUrl, reachableUrls } from "../page-url.ts";
import { finishedWithin } from "@landline/system/finished-within";

interface ServeOptions extends ConfigFlags, JsonOption {
  readonly nextPort?: boolean;
}

/** Serves until a signal ends it, and cleans up. */
export async function serve(
  { output }: CommandContext,
  { json = false, nextPort = false, ...flags }: ServeOptions,
): Promise<number> {
  const told = Promise.withResolvers<void>();
  const hadTerminal = hasControllingTerminal();
  let count = 0;
  let hasCertificate = false;
  let gateway: OwnGateway | null = null;
  // Installed first: a signal during the start ends the gateway after the start.
  using _signals = onTerminationSignal((_, signal) => {
    const isClosed = hadTerminal && !hasControllingTerminal();
    if (signal === "SIGHUP" && hasCertificate && !isClosed) {
      void gateway?.reloadCertificate?.();
      return;
    }
    count += 1;
    if (count > 1) process.exit(exitCode.failed);
    told.resolve();
  });
  const options = await loadConfig({
    flags,
    isAtTerminal: process.stderr.isTTY,
    builtInAgent: builtInAgent(),
  });
  hasCertificate = Boolean(options.certificate);
  gateway = await (nextPort ? startOnFreePort : startOwnGateway)(options);
  announce(output, gateway, options, json);
  await told.promise;
  if (await finishedWithin(gateway.close(), options.limits.stopMs)) return exitCode.done;
  output.note("Some processes did not end in time; the next start ends them.");
  return exitCode.failed;
}

function announce(
  output: Output,
  { url, port, token }: OwnGateway,
  options: GatewayOptions,
  json: boolean,
): void {
  if (json) return output.json({ url, port, token, pid: process.pid });
  if (options.port !== 0 && port !== options.port)
    output.line(`Port ${options.port} is in use; using port ${port} instead.`);
  if (!isLoopbackHost(options.host))
    output.note(
      `Everyone who can reach ${options.host} can try to authenticate` +
        (options.certificate ? "." : ", and can read the token in transit."),
      "yellow",
    );
  const addresses = reachableUrls(options.publicUrl ?? url);
  // Other output is a file or a log, which must not contain a token.
  if (output.isTerminal) {
    output.line(
      `Landline ${packageFacts.version} is running. Open this address; the token in it lets you in:`,
    );
    for (const address of addresses) output.line(`  ${pageUrl(address, token)}`);
  } else {
    output.line(`Landline ${packageFacts.version} is running at ${addresses.join(", ")}.`);
    output.line("`landline token url` prints a link with a token.");
  }
  output.line("Press Ctrl-C to stop it.");
}
