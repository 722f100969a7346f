import { expect, test } from "vitest";
import { denialsIn } from "./denials.ts";

test.each([
  ["bash: /etc/x: Read-only file system", "read-only", "/etc/x", "changed"],
  [
    "touch: cannot touch '/home/me/a b': Read-only file system",
    "read-only",
    "/home/me/a b",
    "changed",
  ],
  [
    "Error: EROFS: read-only file system, open '/home/me/.config/x'",
    "read-only",
    "/home/me/.config/x",
    "changed",
  ],
  ["OSError: [Errno 30] Read-only file system: '/opt/x'", "read-only", "/opt/x", "changed"],
  ["open /root/.config: read-only file system", "read-only", "/root/.config", "changed"],
  [
    "error: could not write config file .git/config: Read-only file system",
    "read-only",
    ".git/config",
    "changed",
  ],
  ["sh: 3: cannot create ../x y/z: Directory nonexistent", "missing", "../x y/z", "changed"],
  ["sh: 3: cannot open ../x: No such file", "missing", "../x"],
  ["cat: .env: Permission denied", "refused", ".env"],
  ["Error: EACCES: permission denied, open '.env'", "refused", ".env"],
  ["PermissionError: [Errno 13] Permission denied: 'server.key'", "refused", "server.key"],
  ["cat: /home/me/x: No such file or directory", "missing", "/home/me/x"],
  ["Error: ENOENT: no such file or directory, open '../x'", "missing", "../x"],
  ["curl: (6) Could not resolve host: example.com", "network", "example.com"],
  ["fatal: Could not resolve host: github.com", "network", "github.com"],
  ["npm error getaddrinfo EAI_AGAIN registry.example.org", "network", "registry.example.org"],
  ["Error: getaddrinfo ENOTFOUND api.example.com", "network", "api.example.com"],
  ["dial tcp: lookup proxy.example.org: no such host", "network", "proxy.example.org"],
  ["ping: example.com: Temporary failure in name resolution", "network", null],
  ["connect: Network is unreachable", "network", null],
] as const)("%s", (line, failure, what, changed?: string) => {
  const isChange = changed !== undefined;
  expect(denialsIn(`first\n${line}\n`)).toEqual([{ failure, what, isChange }]);
});

test.each([
  "mkdir /data/x: permission denied",
  "sh: 3: cannot create /data/x: Permission denied",
  "tee: /data/x: Permission denied",
  "truncate: cannot open '/data/x' for writing: Permission denied",
  "Error: EACCES: permission denied, unlink '/data/x'",
  "Error: EACCES: permission denied, open '/data/x'\n    at Object.appendFileSync (node:fs:2564:6)",
  "    with open(name, 'ab') as file:\n         ^^^^^^^^^^^\nPermissionError: [Errno 13] Permission denied: '/data/x'",
])("a write: %s", (output) => {
  expect(denialsIn(output)).toEqual([{ failure: "refused", what: "/data/x", isChange: true }]);
});

test.each([
  "cp: cannot open '/data/x' for reading: Permission denied",
  "sh: 3: cannot open /data/x: Permission denied",
  "Error: EACCES: permission denied, open '/data/x'\n    at writeFile (/app/main.js:1:1)",
  "    text = open(name).read()\nPermissionError: [Errno 13] Permission denied: '/data/x'",
])("not certainly a write: %s", (output) => {
  expect(denialsIn(output)).toEqual([{ failure: "refused", what: "/data/x", isChange: false }]);
});

test("two paths of one failure are reported with the effect on each", () => {
  const pair = (failure: string, isFirstChanged: boolean) => [
    { failure, what: "a", isChange: isFirstChanged },
    { failure, what: "/data/b", isChange: true },
  ];
  const refused = "EACCES: permission denied";
  expect(denialsIn(`${refused}, copyfile 'a' -> '/data/b'`)).toEqual(pair("refused", false));
  expect(denialsIn(`${refused}, rename 'a' -> '/data/b'`)).toEqual(pair("refused", true));
  expect(denialsIn("EROFS: read-only file system, copyfile 'a' -> '/data/b'")).toEqual(
    pair("read-only", false).slice(1),
  );
  expect(denialsIn("EBUSY: resource busy or locked, rename 'a' -> '/data/b'")).toEqual(
    pair("busy", true),
  );
  const moved = [
    { failure: "other-mount", what: "a", isChange: true, other: "/data/b" },
    { failure: "other-mount", what: "/data/b", isChange: true, other: "a" },
  ];
  for (const message of [
    "EXDEV: cross-device link not permitted, rename 'a' -> '/data/b'",
    "OSError: [Errno 18] Invalid cross-device link: 'a' -> '/data/b'",
  ])
    expect(denialsIn(message)).toEqual(moved);
  const missing = "No such file or directory";
  expect(denialsIn(`mv: cannot move 'a' to '/data/b': ${missing}`)).toEqual(pair("missing", true));
  expect(denialsIn(`FileNotFoundError: [Errno 2] ${missing}: 'a' -> '/data/b'`)).toEqual(
    pair("missing", true),
  );
});

test.each([
  ["mv: inter-device move failed: 'a' to '/data/b'; unable to remove target: ", "/data/b"],
  ["tar: /data/b.tar: Cannot open: ", "/data/b.tar"],
])("read-only: %s", (words, what) => {
  const denial = { failure: "read-only", what, isChange: true };
  expect(denialsIn(`${words}Read-only file system`)).toEqual([denial]);
});

test.each([
  ["error: could not write config file .git/config: Device or resource busy", ".git/config"],
  ["Error: , Unknown error: Device or resource busy '.env'", ".env"],
])("busy: %s", (line, what) => {
  expect(denialsIn(line)).toEqual([{ failure: "busy", what, isChange: true }]);
});

test("a recursively created folder is recognised", () => {
  const made = (failure: string) => [{ failure, what: "/a/b", isChange: true, makesParents: true }];
  expect(denialsIn("ENOENT: no such file or directory, mkdir '/a/b'")).toEqual(made("missing"));
  const git = "fatal: could not create leading directories of '/a/b': Read-only file system";
  expect(denialsIn(git)).toEqual(made("read-only"));
  const cp = "cp: cannot create regular file '/a/b/': Not a directory";
  expect(denialsIn(cp)).toEqual([{ failure: "missing", what: "/a/b", isChange: true }]);
});

test("each denial is reported once, and other failures are not", () => {
  expect(denialsIn("cat: a: Permission denied\ncat: a: Permission denied\n")).toHaveLength(1);
  expect(denialsIn("2 tests failed\nsegmentation fault\n")).toEqual([]);
});

test("only the end of a long output is read", () => {
  expect(denialsIn("a: Permission denied\n".repeat(100_000))).toHaveLength(1);
  expect(denialsIn(`${" a:".repeat(1_000_000)} Permission denied`)).toEqual([]);
  const slow = ["EACCES: ".repeat(120), " open(".repeat(160), "'a' to ".repeat(140)];
  expect(denialsIn(`${slow.join("\n")}\n`.repeat(70))).toEqual([]);
});
