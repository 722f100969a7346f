import { test as property, fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import {
  allowsPrivateAddress,
  formatTarget,
  isHostPattern,
  isOpenTo,
  matches,
  parseHostPattern,
  parseTarget,
  withHosts,
} from "./host-pattern.ts";
import { isPublicAddress } from "./public-address.ts";

/** Whether an entry of a list allows a request. */
function isAllowed(pattern: string, target: string): boolean {
  const [parsed, wanted] = [parseHostPattern(pattern), parseTarget(target, null)];
  return parsed !== null && wanted !== null && matches(parsed, wanted);
}

describe("a host pattern", () => {
  test.each([
    ["example.com", "example.com:443"],
    ["example.com", "EXAMPLE.com.:8443"],
    ["Example.COM.", "example.com:80"],
    ["*.example.com", "a.b.example.com:1"],
    ["example.com:443", "example.com:443"],
    ["bücher.de", "xn--bcher-kva.de:443"],
    ["127.0.0.1:80", "0x7f.1:80"],
    ["127.0.0.1", "2130706433:80"],
    ["::1", "[0:0:0:0:0:0:0:1]:80"],
    ["[::1]:80", "[::1]:80"],
    ["localhost", "localhost:3000"],
  ])("%s allows %s", (pattern, target) => expect(isAllowed(pattern, target)).toBe(true));

  test.each([
    ["example.com", "a.example.com:443"],
    ["example.com", "example.com.evil.org:443"],
    ["*.example.com", "example.com:443"],
    ["*.example.com", "badexample.com:443"],
    ["example.com:443", "example.com:80"],
    ["example.com", "example.com@evil.org:443"],
    ["example.com", "evil.org#example.com:443"],
    ["example.com", "evil.org/example.com:443"],
    ["example.com", "example.com%2eevil.org:443"],
    ["example.com", "example.com\\.evil.org:443"],
    ["example.com", "example.com:0443000"],
    ["example.com", "example.com:0"],
    ["example.com", "example.com:65536"],
    ["example.com", "example.com:+80"],
    ["example.com", "example.com:"],
    ["example.com", "example.com"],
    ["example.com", "example.com..:80"],
    ["example.com", "example。com:80"],
    ["127.0.0.1", "[::ffff:127.0.0.1]:80"],
    ["localhost", "127.0.0.1:80"],
    ["::1", "[::1%lo]:80"],
  ])("%s does not allow %s", (pattern, target) => expect(isAllowed(pattern, target)).toBe(false));

  test("is rejected otherwise", () => {
    const words = `* *. *.*.com a.*.com *example.com http://example.com a/b *.127.0.0.1 *.1 *.[::1] [::1 1.2.3.4.5 a..b
      .com user@host a:b example.com:0 example.com:99999 a%41 ${"a".repeat(64)}.com ${"a.".repeat(130)}`;
    const texts = ["", "a b", ...words.split(/\s+/)];
    expect(texts.filter(isHostPattern)).toEqual([]);
  });

  const label = fc
    .stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/)
    .filter((text) => !text.startsWith("xn-"));
  const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
  const port = fc.integer({ min: 1, max: 65_535 });
  const mixed = (text: string, bits: number) =>
    text
      .split("")
      .map((char, at) => ((bits >> (at % 30)) & 1 ? char.toUpperCase() : char))
      .join("");

  property.prop([name, port, fc.nat()])(
    "allows its host in each spelling",
    (host, number, bits) => {
      for (const spelling of [host, mixed(host, bits), `${host}.`])
        for (const pattern of [host, `${host}:${number}`])
          expect(isAllowed(pattern, `${spelling}:${number}`)).toBe(true);
    },
  );

  property.prop([name, name, port])(
    "with a wildcard allows subdomains only",
    (host, other, number) => {
      const isBelow = other.endsWith(`.${host}`);
      expect(isAllowed(`*.${host}`, `${other}:${number}`)).toBe(isBelow);
      expect(isAllowed(`*.${host}`, `${other}.${host}:${number}`)).toBe(true);
      expect(isAllowed(host, `${other}:${number}`)).toBe(other === host);
    },
  );

  property.prop([fc.string({ unit: "binary" }), name])(
    "reads no text as another host",
    (text, host) => {
      const target = parseTarget(text, 80);
      // Patterns have one canonical form, which is parsed back to the same pattern.
      if (target !== null) expect(parseTarget(formatTarget(target), null)).toEqual(target);
      expect(parseTarget(`${host}@${text}`, 80)).toBeNull();
      expect(parseTarget(`${host}/${text}`, 80)).toBeNull();
    },
  );

  test.each([
    ["localhost", true],
    ["10.0.0.1", true],
    ["::1", true],
    ["intranet.example:80", true],
    ["intranet.example", false],
    ["*.intranet.example:80", false],
  ])("%s may resolve to a private address: %s", (text, may) => {
    const pattern = parseHostPattern(text);
    expect(pattern !== null && allowsPrivateAddress(pattern)).toBe(may);
  });
});

test("a network allows the hosts of its list, and added ones", () => {
  const network = ["example.com", "*.example.org", "known.example:443"];
  for (const host of ["example.com", "EXAMPLE.com.:80", "a.example.org:1", "known.example:443"])
    expect([host, isOpenTo(network, host)]).toEqual([host, true]);
  // Without a port, all ports of the host are allowed.
  for (const host of ["example.org", "known.example", "known.example:80", "*.example.org", "a b"])
    expect([host, isOpenTo(network, host)]).toEqual([host, false]);
  expect([isOpenTo("on", "a b"), isOpenTo("off", "example.com")]).toEqual([true, false]);
  expect(withHosts("off", ["a", "a"])).toEqual(["a"]);
  expect(withHosts(["a"], ["b", "a"])).toEqual(["a", "b"]);
  expect([withHosts("on", ["a"]), withHosts("off", [])]).toEqual(["on", "off"]);
});

test("addresses of this machine, of its network and of special ranges are not public", () => {
  const others = `127.0.0.1 127.255.0.9 0.0.0.0 10.1.2.3 172.31.0.1 192.168.1.1 169.254.169.254 100.64.0.1 224.0.0.1
    255.255.255.255 192.0.2.1 :: ::1 fe80::1 fe80::1%eth0 fc00::1 fd12::1 ff02::1 2001:db8::1 ::ffff:127.0.0.1
    ::ffff:7f00:1 64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b:: 2002:7f00:1:: 2001::1 64:ff9b:1::808:808 ::7f00:1 what`;
  expect(others.split(/\s+/).filter((address) => isPublicAddress(address))).toEqual([]);
  const known = ["1.1.1.1", "172.32.0.1", "93.184.216.34", "2606:4700::1111", "64:ff9b::808:808"];
  expect(known.filter((address) => !isPublicAddress(address))).toEqual([]);
});

test("addresses of this machine are not public, nor are those of its IPv6 network", () => {
  const of = (address: string, family: "IPv4" | "IPv6", cidr: string) =>
    ({ address, family, cidr, netmask: "", mac: "", internal: false, scopeid: 0 }) as never;
  const interfaces = {
    eth0: [of("1.1.1.7", "IPv4", "1.1.1.7/24"), of("2606:4700::7", "IPv6", "2606:4700::7/64")],
  };
  for (const address of ["1.1.1.7", "::ffff:1.1.1.7", "2606:4700::7", "2606:4700::8"])
    expect(isPublicAddress(address, interfaces)).toBe(false);
  for (const address of ["1.1.1.8", "2606:4700:0:1::8"])
    expect(isPublicAddress(address, interfaces)).toBe(true);
});
