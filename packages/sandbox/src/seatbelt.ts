import type { Layout } from "./bubblewrap.ts";

/** A profile for sandbox-exec. The last rule that matches counts, so single files come last. */
export function seatbeltProfile(layout: Layout): string {
  const { homes, write, read, guarded, hidden } = layout;
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
    // Programs look at the folders above those that they may read.
    '(allow file-read-metadata (subpath "/"))',
    ...rule("allow file-read*", readable),
    ...rule("allow file-write*", writable),
    ...guarded.pinned.map((path) => `(deny file-write-unlink (literal ${JSON.stringify(path)}))`),
    ...rule("deny file-write*", guarded.protected),
    ...rule("deny file-read* file-write*", [...guarded.credentials, ...hidden]),
    ...(layout.network === "on" ? [] : ["(deny network*)"]),
  ].join("\n");
}

function rule(words: string, paths: readonly string[]): string[] {
  const below = paths.map((path) => `(subpath ${JSON.stringify(path)})`);
  return paths.length === 0 ? [] : [`(${words} ${below.join(" ")})`];
}
