/**
 * Paths that an agent might send to escape, to block the gateway, or to learn something. `PROJECT` and `OUTSIDE` stand
 * for the folders; `hostile-tree.ts` creates their content.
 */
export interface HostilePath {
  readonly path: string;
  readonly read: string;
  readonly write: string;
}

const denied = { read: "permission-denied", write: "permission-denied" };
const invalid = { read: "invalid-params", write: "invalid-params" };
const missing = { read: "file-not-found", write: "file-not-found" };

export const hostilePaths: readonly HostilePath[] = [
  // Not a path.
  { path: "", ...invalid },
  { path: "PROJECT/a\0.txt", ...invalid },
  { path: "\0", ...invalid },
  { path: "PROJECT/\uD800", ...invalid },
  { path: `PROJECT/${"a".repeat(5_000)}`, ...invalid },
  { path: `PROJECT/${"a".repeat(300)}`, ...invalid },
  { path: `PROJECT/${"a/".repeat(2_100)}b`, ...invalid },

  // Directly outside.
  { path: "/", ...denied },
  { path: "/etc/passwd", ...denied },
  { path: "/etc/shadow", ...denied },
  { path: "/no/such/file", ...denied },
  { path: "OUTSIDE/secret.txt", ...denied },
  { path: "OUTSIDE/missing.txt", ...denied },
  { path: "OUTSIDE/secret.txt/below", ...denied },
  { path: "PROJECT-other/a.txt", ...denied },
  { path: "//etc//passwd", ...denied },
  { path: "PROJECT", ...denied },
  { path: "PROJECT/", ...denied },
  { path: "PROJECT/.", ...denied },
  { path: "PROJECT/..", ...denied },

  // Outside through `..`.
  { path: "PROJECT/../outside/secret.txt", ...denied },
  { path: "PROJECT/folder/../../outside/secret.txt", ...denied },
  { path: "PROJECT/./folder/./../../outside/./secret.txt", ...denied },
  { path: "PROJECT/../../../../../../../../../../etc/passwd", ...denied },

  // Not absolute.
  { path: "a.txt", ...invalid },
  { path: "./a.txt", ...invalid },
  { path: "folder/new.txt", ...invalid },
  { path: ".", ...invalid },
  { path: "../outside/secret.txt", ...invalid },
  { path: "../../../../../../../etc/passwd", ...invalid },
  { path: "folder/../../outside/secret.txt", ...invalid },
  { path: "C:\\Windows\\system.ini", ...invalid },
  { path: " /etc/passwd", ...invalid },

  // Homes are not expanded.
  { path: "~", ...invalid },
  { path: "~/.ssh/id_rsa", ...invalid },
  { path: "~root/x", ...invalid },
  { path: "~+/../outside/secret.txt", ...invalid },

  // URLs: local file URLs are decoded, all others are refused.
  { path: "file:///etc/passwd", ...denied },
  { path: "FILE:///etc/passwd", ...denied },
  { path: "file://localhost/etc/passwd", ...denied },
  { path: "file://OUTSIDE/secret.txt", ...denied },
  { path: "file://PROJECT/%2e%2e/outside/secret.txt", ...denied },
  { path: "file://PROJECT/..%2foutside%2fsecret.txt", ...invalid },
  { path: "file://PROJECT/a%00.txt", ...invalid },
  { path: "file://PROJECT/%ff.txt", ...invalid },
  { path: "file://PROJECT/a.txt#b", ...invalid },
  { path: "file://PROJECT/a.txt?b", ...invalid },
  { path: "file://elsewhere/etc/passwd", ...invalid },
  { path: "file:", ...invalid },
  { path: "file:a.txt", ...invalid },
  { path: "file:/etc/passwd", ...invalid },
  { path: "https://example.com/a.txt", ...invalid },

  // The result when an agent joins its folder with one of these.
  { path: "PROJECT/~/.ssh/id_rsa", read: "file-not-found", write: "invalid-params" },
  { path: "PROJECT/~", read: "file-not-found", write: "invalid-params" },
  { path: "PROJECT/file:/etc/passwd", read: "file-not-found", write: "invalid-params" },
  { path: "PROJECT/new/file:/etc/passwd", read: "file-not-found", write: "invalid-params" },

  // Outside through more `..`.
  { path: "PROJECT/missing/../../outside/secret.txt", ...missing },
  { path: "PROJECT/missing/../a.txt", ...missing },
  { path: "PROJECT/a.txt/../../outside/secret.txt", ...missing },

  // Through links.
  { path: "PROJECT/link-to-secret", ...denied },
  { path: "PROJECT/link-to-outside/secret.txt", ...denied },
  { path: "PROJECT/link-to-outside/missing.txt", ...denied },
  { path: "PROJECT/link-to-outside/new/deep/file.txt", ...denied },
  { path: "PROJECT/link-to-root/etc/passwd", ...denied },
  { path: "PROJECT/link-to-link", ...denied },
  { path: "PROJECT/relative-link", ...denied },
  { path: "PROJECT/link-to-folder/../../outside/secret.txt", ...denied },
  { path: "PROJECT/link-to-outside/../outside/secret.txt", ...denied },
  { path: "PROJECT/dead-link", read: "permission-denied", write: "permission-denied" },
  { path: "PROJECT/dead-link/below", read: "permission-denied", write: "permission-denied" },
  { path: "PROJECT/dead-link-outside", ...denied },
  { path: "PROJECT/loop", ...denied },
  { path: "PROJECT/loop/below", ...denied },
  { path: "PROJECT/link-to-environ", ...denied },
  { path: "PROJECT/link-to-zero", ...denied },

  // Not a regular file.
  { path: "PROJECT/folder", ...denied },
  { path: "PROJECT/folder/", ...denied },
  { path: "PROJECT/fifo", ...denied },
  { path: "PROJECT/socket", ...denied },
  { path: "PROJECT/a.txt/below", ...missing },
  { path: "PROJECT/a.txt/below/further", ...missing },

  // Virtual files of the system.
  { path: "/dev/zero", ...denied },
  { path: "/dev/stdin", ...denied },
  { path: "/dev/fd/0", ...denied },
  { path: "/dev/full", ...denied },
  { path: "/proc/self/environ", ...denied },
  { path: "/proc/self/mem", ...denied },
  { path: "/proc/1/environ", ...denied },
  { path: "/proc/self/root/etc/passwd", ...denied },
  { path: "/proc/self/cwd/package.json", ...denied },
  { path: "/proc/thread-self/environ", ...denied },
  { path: "/sys/kernel/notes", ...denied },

  // Names that only look special, so nothing exists there.
  { path: "PROJECT/%2e%2e/outside/secret.txt", read: "file-not-found", write: "taken" },
  { path: "PROJECT/..%2foutside%2fsecret.txt", read: "file-not-found", write: "taken" },
  { path: "PROJECT/..\\outside\\secret.txt", read: "file-not-found", write: "taken" },
  { path: "PROJECT/...", read: "file-not-found", write: "taken" },
  { path: "PROJECT/ /x", read: "file-not-found", write: "taken" },
  { path: "PROJECT/-rf", read: "file-not-found", write: "taken" },
  { path: "PROJECT/$(touch x)", read: "file-not-found", write: "taken" },
  { path: "PROJECT/\u2025/outside/secret.txt", read: "file-not-found", write: "taken" },
  { path: "PROJECT/a\nb.txt", read: "file-not-found", write: "taken" },
];
