import { describe, expect, test } from "vitest";
import { sessionSummary } from "../../test/session-summary.ts";
import { folderName, fullFolder, shortFolder, splitTyped, withoutSlash } from "./folder-path.ts";
import { recentFolders, suggestFolders } from "./folder-suggestions.ts";

test.each([
  ["/home/me", "~"],
  ["/home/me/code", "~/code"],
  ["/home/mediocre", "/home/mediocre"],
  ["/srv", "/srv"],
])("%s is shown as %s, and parsed back", (path, shown) => {
  expect(shortFolder(path, "/home/me")).toBe(shown);
  expect(fullFolder(shown, "/home/me")).toBe(path);
});

test("a home folder at the root shortens nothing", () => {
  expect(shortFolder("/srv", "/")).toBe("/srv");
});

test("names and slashes", () => {
  expect(folderName("/home/me/app/")).toBe("app");
  expect(folderName("/")).toBe("/");
  expect(withoutSlash("/srv//")).toBe("/srv");
  expect(withoutSlash("/")).toBe("/");
});

test.each([
  ["/home/me/co", "/home/me", "co"],
  ["/home/me/", "/home/me", ""],
  ["/ho", "/", "ho"],
  ["ho", "", "ho"],
])("%s is looked up in %s", (path, folder, start) => {
  expect(splitTyped(path)).toEqual({ folder, start });
});

describe("suggestions", () => {
  const listing = {
    path: "/home/me",
    parent: "/home",
    folders: ["Code", "notes"].map((name) => ({ name, path: `/home/me/${name}` })),
    isCut: false,
  };
  const recent = ["/a", "/b"];

  test("are recent folders until something is typed", () => {
    const shown = suggestFolders({ path: "/a", isUntouched: true, recent, listing });
    expect(shown.map(({ path }) => path)).toEqual(recent);
  });

  test("are the subfolders, with the parent folder", () => {
    const shown = suggestFolders({ path: "/home/me/", isUntouched: false, recent, listing });
    expect(shown.map(({ path }) => path)).toEqual(["/home", "/home/me/Code", "/home/me/notes"]);
  });

  test("are the names with the typed prefix, ignoring case", () => {
    const shown = suggestFolders({ path: "/home/me/co", isUntouched: false, recent, listing });
    expect(shown.map(({ name }) => name)).toEqual(["Code"]);
  });

  test("contain each recent folder once, a limited number, and the gateway's folder", () => {
    const sessions = Array.from({ length: 40 }, (_, index) =>
      sessionSummary(`${index}`, { cwd: `/p${index % 20}` }),
    );
    const folders = recentFolders(sessions, "/started");
    expect(folders).toEqual(["/p0", "/p1", "/p2", "/p3", "/p4", "/p5", "/started"]);
  });
});
