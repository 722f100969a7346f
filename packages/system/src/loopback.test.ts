import { expect, test } from "vitest";
import { isLoopbackHost, isLoopbackUrl } from "./loopback.ts";

test.each([
  ["127.0.0.1", true],
  ["127.255.0.9", true],
  ["::1", true],
  ["[::1]", true],
  ["0:0:0:0:0:0:0:1", true],
  ["::ffff:127.0.0.1", true],
  ["[::ffff:7f00:1]", true],
  ["localhost", true],
  ["LocalHost", true],
  ["localhost.", false],
  ["app.localhost", false],
  ["localhost.example.com", false],
  ["127.0.0.1.example.com", false],
  ["127.0.0.256", false],
  ["127.1", false],
  ["128.0.0.1", false],
  ["0.0.0.0", false],
  ["::", false],
  ["::2", false],
  ["::ffff:10.0.0.1", false],
  ["::1%lo", false],
  ["::1]:80", false],
  ["192.168.1.4", false],
  ["", false],
])("host %s: %s", (host, isLoopback) => {
  expect(isLoopbackHost(host)).toBe(isLoopback);
});

test.each([
  ["http://127.0.0.1:3001/?token=x", true],
  ["http://localhost:3001/", true],
  ["http://[::1]:3001/", true],
  ["https://landline.example.com/", false],
  ["https://127.0.0.1.example.com/", false],
  ["http://localhost@example.com/", false],
  ["no address", false],
])("URL %s: %s", (url, isLoopback) => {
  expect(isLoopbackUrl(url)).toBe(isLoopback);
});
