import { afterEach, describe, expect, it, vi } from "vitest";
import { gatewayAddress } from "./gateway-address.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("the gateway's address", () => {
  it.each([
    ["http://127.0.0.1:3001", "http://127.0.0.1:3001/", "ws://127.0.0.1:3001/ws"],
    ["https://host/base", "https://host/base/", "wss://host/base/ws"],
    ["https://host/base/#/sessions/1", "https://host/base/", "wss://host/base/ws"],
    ["ws://host:1/base/ws?token=x", "http://host:1/base/", "ws://host:1/base/ws"],
    ["wss://host/ws", "https://host/", "wss://host/ws"],
  ])("is read from %s", (url, key, socketUrl) => {
    expect(gatewayAddress({ url })).toMatchObject({ key, socketUrl });
  });

  it("reads the token wherever it is, and writes it nowhere", () => {
    const printed = gatewayAddress({ url: "http://host/?token=secret" });
    expect(printed.token).toBe("secret");
    expect(gatewayAddress({ url: "http://host/?token=old", token: "new" }).token).toBe("new");
    const query = { q: "a b&c", limit: 2, left: undefined };
    expect(printed.httpUrl("api/search", query)).toBe("http://host/api/search?q=a+b%26c&limit=2");
    expect(JSON.stringify(printed)).not.toContain("?token");
  });

  it("is the page's folder in a page, and is required elsewhere", () => {
    expect(() => gatewayAddress({})).toThrow("The url of the gateway is required");
    vi.stubGlobal("document", { baseURI: "http://host/base/index.html?x#y" });
    expect(gatewayAddress({}).key).toBe("http://host/base/");
  });

  it.each(["nonsense", "file:///tmp", "javascript:alert(1)"])("is not %s", (url) => {
    expect(() => gatewayAddress({ url })).toThrow("not an http address");
  });
});
