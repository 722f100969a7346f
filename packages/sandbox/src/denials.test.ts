import { expect, test } from "vitest";
import { denialsIn } from "./denials.ts";

test.each([
  ["bash: /etc/x: Read-only file system", "write", "/etc/x"],
  ["touch: cannot touch '/home/me/a b': Read-only file system", "write", "/home/me/a b"],
  ["Error: EROFS: read-only file system, open '/home/me/.config/x'", "write", "/home/me/.config/x"],
  ["OSError: [Errno 30] Read-only file system: '/opt/x'", "write", "/opt/x"],
  ["open /root/.config: read-only file system", "write", "/root/.config"],
  ["error: could not write config file .git/config: Read-only file system", "write", ".git/config"],
  ["sh: 3: cannot create ../x y/z: Directory nonexistent", "write", "../x y/z"],
  ["sh: 3: cannot open ../x: No such file", "missing", "../x"],
  ["cat: .env: Permission denied", "read", ".env"],
  ["Error: EACCES: permission denied, open '.env'", "read", ".env"],
  ["PermissionError: [Errno 13] Permission denied: 'server.key'", "read", "server.key"],
  ["cat: /home/me/x: No such file or directory", "missing", "/home/me/x"],
  ["Error: ENOENT: no such file or directory, open '../x'", "missing", "../x"],
  ["curl: (6) Could not resolve host: example.com", "network", "example.com"],
  ["fatal: Could not resolve host: github.com", "network", "github.com"],
  ["npm error getaddrinfo EAI_AGAIN registry.example.org", "network", "registry.example.org"],
  ["Error: getaddrinfo ENOTFOUND api.example.com", "network", "api.example.com"],
  ["dial tcp: lookup proxy.example.org: no such host", "network", "proxy.example.org"],
  ["ping: example.com: Temporary failure in name resolution", "network", null],
  ["connect: Network is unreachable", "network", null],
] as const)("%s", (line, kind, what) => {
  expect(denialsIn(`first\n${line}\n`)).toEqual([{ kind, what }]);
});

test("each denial is told once, and other failures are none", () => {
  expect(denialsIn("cat: a: Permission denied\ncat: a: Permission denied\n")).toHaveLength(1);
  expect(denialsIn("2 tests failed\nsegmentation fault\n")).toEqual([]);
});

test("long output costs no more than its end", () => {
  expect(denialsIn("a: Permission denied\n".repeat(100_000))).toHaveLength(1);
  expect(denialsIn(`${" a:".repeat(1_000_000)} Permission denied`)).toEqual([]);
});
