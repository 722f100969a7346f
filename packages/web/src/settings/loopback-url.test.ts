import { expect, test } from "vitest";
import { isLoopbackUrl } from "./loopback-url.ts";

test.each([
  ["http://127.0.0.1:3001/?token=x", true],
  ["http://localhost:3001/", true],
  ["http://[::1]:3001/", true],
  ["https://landline.example.com/", false],
  ["https://127.0.0.1.example.com/", false],
  ["http://192.168.1.4:3001/", false],
  ["no address", false],
])("%s: %s", (url, isIt) => {
  expect(isLoopbackUrl(url)).toBe(isIt);
});
