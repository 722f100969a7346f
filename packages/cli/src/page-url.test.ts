import type { NetworkInterfaceInfo } from "node:os";
import { expect, it } from "vitest";
import { pageUrl, reachableUrls } from "./page-url.ts";

const address = (text: string, family: "IPv4" | "IPv6") =>
  ({ address: text, family }) as NetworkInterfaceInfo;

it("is the listening address, or every address of the machine", () => {
  const interfaces = {
    lo: [address("127.0.0.1", "IPv4"), address("::1", "IPv6")],
    lan: [address("192.168.1.7", "IPv4")],
  };
  expect(reachableUrls("http://127.0.0.1:3001/x", interfaces)).toEqual(["http://127.0.0.1:3001/x"]);
  const all = ["http://127.0.0.1:3001/x", "http://192.168.1.7:3001/x"];
  expect(reachableUrls("http://0.0.0.0:3001/x", interfaces)).toEqual(all);
  expect(reachableUrls("http://[::]:3001/x", interfaces)).toEqual(all);
});

it("has the token after the #, whatever it contains", () => {
  const url = pageUrl("http://127.0.0.1:3001/line", "a&b=c/?#");
  expect(new URLSearchParams(new URL(url).hash.slice(1)).get("token")).toBe("a&b=c/?#");
  expect(new URL(url).search).toBe("");
  expect(new URL(url).pathname).toBe("/line/");
});
