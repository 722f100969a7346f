import { describe, expect, it } from "vitest";
import { Addresses } from "./address.ts";
import type { AddressPolicy } from "./services.ts";

function addresses(bound: string, policy: Partial<AddressPolicy> = {}) {
  const made = new Addresses({ basePath: "", hosts: [], origins: [], ...policy });
  made.bind({ host: bound, port: 3001 });
  return made;
}

const allows = (check: () => void): boolean => {
  try {
    check();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: "forbidden" });
    return false;
  }
};

describe("Host", () => {
  const table: readonly [bound: string, host: string | null, isAllowed: boolean][] = [
    ["127.0.0.1", "localhost", true],
    ["127.0.0.1", "localhost:3001", true],
    ["127.0.0.1", "LocalHost:8080", true],
    ["127.0.0.1", "127.0.0.1:3001", true],
    ["127.0.0.1", "127.9.9.9", true],
    ["127.0.0.1", "[::1]:3001", true],
    ["127.0.0.1", null, false],
    ["127.0.0.1", "", false],
    ["127.0.0.1", "evil.example", false],
    ["127.0.0.1", "localhost.evil.example", false],
    ["127.0.0.1", "127.0.0.1.evil.example", false],
    ["127.0.0.1", "evil.example:3001", false],
    ["127.0.0.1", "localhost@evil.example", false],
    ["127.0.0.1", "localhost/evil", false],
    ["127.0.0.1", "localhost evil", false],
    ["127.0.0.1", "localhost:3001:3001", false],
    ["127.0.0.1", "[::1", false],
    ["127.0.0.1", "[::2]", false],
    ["127.0.0.1", "192.168.1.5", false],
    ["127.0.0.1", "0.0.0.0", false],
    ["192.168.1.5", "192.168.1.5:3001", true],
    ["192.168.1.5", "192.168.1.6:3001", false],
    ["192.168.1.5", "localhost", true],
    ["0.0.0.0", "192.168.1.6:3001", true],
    ["0.0.0.0", "rebound.evil.example", false],
    ["::", "[fe80::1]:3001", true],
    ["::", "rebound.evil.example", false],
  ];
  it.each(table)("bound to %s: %s is allowed: %s", (bound, host, isAllowed) => {
    expect(allows(() => addresses(bound).checkHost(host))).toBe(isAllowed);
  });

  it("may be one that the config names exactly", () => {
    const named = addresses("127.0.0.1", {
      hosts: ["box.example:8443"],
      origins: ["https://Chat.example"],
    });
    expect(allows(() => named.checkHost("BOX.example:8443"))).toBe(true);
    expect(allows(() => named.checkHost("box.example"))).toBe(false);
    expect(allows(() => named.checkHost("chat.example"))).toBe(true);
  });
});

describe("Origin", () => {
  const table: readonly [origin: string, needsSame: boolean, isAllowed: boolean][] = [
    ["http://localhost:3001", false, true],
    ["http://localhost:3001", true, true],
    ["http://localhost:5173", false, true],
    ["http://localhost:5173", true, false],
    ["http://127.0.0.1:3001", true, false],
    ["null", false, false],
    ["", false, false],
    ["https://evil.example", false, false],
    ["http://localhost.evil.example:3001", false, false],
    ["http://evil.example#localhost:3001", false, false],
    ["http://user@localhost:3001", false, false],
    ["file://localhost", false, false],
    ["chrome-extension://localhost", false, false],
    ["https://chat.example", true, true],
    ["http://chat.example", true, false],
    ["https://chat.example.evil.example", false, false],
  ];
  it.each(table)("%s with a cookie %s is allowed: %s", (origin, needsSame, isAllowed) => {
    const named = addresses("127.0.0.1", { origins: ["https://chat.example"] });
    expect(allows(() => named.checkOrigin(origin, "localhost:3001", needsSame))).toBe(isAllowed);
  });
});
