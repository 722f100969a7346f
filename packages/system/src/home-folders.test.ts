import { homedir } from "node:os";
import { expect, test } from "vitest";
import { homeFolder, xdgFolder } from "./home-folders.ts";

test("the home folder is HOME, or that of the system", () => {
  expect(homeFolder({ HOME: "/home/me" })).toBe("/home/me");
  for (const HOME of ["", "relative", undefined]) expect(homeFolder({ HOME })).toBe(homedir());
});

test("an XDG folder is the named one, or the default below the home folder", () => {
  const HOME = "/home/me";
  expect(xdgFolder({ HOME, XDG_DATA_HOME: "/data" }, "XDG_DATA_HOME")).toBe("/data");
  expect(xdgFolder({ HOME, XDG_DATA_HOME: "data" }, "XDG_DATA_HOME")).toBe("/home/me/.local/share");
  expect(xdgFolder({ HOME, XDG_DATA_HOME: "" }, "XDG_CONFIG_HOME")).toBe("/home/me/.config");
  expect(xdgFolder({ HOME }, "XDG_CACHE_HOME", "/other")).toBe("/other/.cache");
});
