import type { Layout, Mount } from "./bubblewrap.ts";
import type { OpenNetwork } from "./proxied-network.ts";

type Proxied = Pick<OpenNetwork, "environment" | "port">;

/**
 * The arguments for sandbox-exec. The shell is needed because `env` parses a program path that contains "=" as a
 * variable.
 */
export function seatbeltArguments(layout: Layout, proxied: Proxied | null): string[] {
  const { call, unset = [] } = layout;
  const variables = Object.entries(proxied?.environment ?? {});
  const env = [
    "/usr/bin/env",
    ...unset.flatMap((name) => ["-u", name]),
    ...variables.map(([name, value]) => `${name}=${value}`),
  ];
  const start = ["/bin/sh", "-c", 'exec "$@"', "sh", call.file, ...call.args];
  return ["-p", seatbeltProfile(layout, proxied), ...env, ...start];
}

/** The last matching rule applies, so single files come last. */
function seatbeltProfile(layout: Layout, proxied: Proxied | null): string {
  const { homes, write, read, guarded, opened, hidden } = layout;
  const writable = [
    ...write.map(({ from }) => from),
    "/private/tmp",
    "/private/var/folders",
    "/dev",
  ];
  const readable = [...read.map(({ from }) => from), ...writable];
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    ...rule("deny file-read*", homes),
    // Programs read metadata of the folders above those that they may read.
    '(allow file-read-metadata (subpath "/"))',
    ...rule("allow file-read*", readable),
    ...rule("allow file-write*", writable),
    ...guarded.pinned.map(({ at }) => `(deny file-write-unlink (literal ${JSON.stringify(at)}))`),
    ...rule("deny file-write*", namesOf(guarded.protected)),
    ...rule("allow file-write*", namesOf(opened)),
    ...rule("deny file-read* file-write*", [...namesOf(guarded.credentials), ...hidden]),
    ...(layout.network === "on" ? [] : ["(deny network*)"]),
    ...(proxied === null
      ? []
      : [`(allow network-outbound (remote tcp "localhost:${proxied.port}"))`]),
  ].join("\n");
}

function namesOf(mounts: readonly Mount[]): string[] {
  return mounts.map(({ at }) => at);
}

function rule(words: string, paths: readonly string[]): string[] {
  const below = paths.map((path) => `(subpath ${JSON.stringify(path)})`);
  return paths.length === 0 ? [] : [`(${words} ${below.join(" ")})`];
}
