import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Home } from "./landline.ts";

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(() => home[Symbol.asyncDispose]());

const lines = (text: string) =>
  text
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("landline sessions", () => {
  it("lists sessions, latest first, as text and as JSON", async () => {
    await home.serve();
    expect(await home.landline("sessions")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("There is no session yet"),
    });
    await home.landline("run", "hello");
    await home.landline("run", "limit");
    const table = await home.landline("sessions");
    expect(table.stdout).toMatch(/^SESSION +AGENT +STATE +LAST +FOLDER +TITLE\n/);
    expect(table.stdout.trim().split("\n")).toHaveLength(3);
    const found = lines((await home.landline("sessions", "--json")).stdout);
    expect(found).toMatchObject([{ agent: "scripted" }, { agent: "scripted" }]);
    expect(lines((await home.landline("sessions", "--json", "--limit", "1")).stdout)).toEqual([
      found[0],
    ]);
    expect((await home.landline("sessions", "--json", "--cwd", "elsewhere")).stdout).toBe("");
  });
});

describe("landline attach", () => {
  it("shows past events, and exits if it does not follow", async () => {
    await home.serve();
    await home.landline("run", "hello");
    expect(await home.landline("attach", "last", "--no-follow")).toEqual({
      code: 0,
      stdout: "Hello yourself.\n",
      stderr: "> hello\nA greeting.\n",
    });
    const events = lines((await home.landline("attach", "last", "--no-follow", "--json")).stdout);
    expect(events[0]).toMatchObject({ seq: 1, kind: "session-opened" });
    const after = String(events.length - 1);
    const tail = await home.landline("attach", "last", "--no-follow", "--json", "--after", after);
    expect(lines(tail.stdout)).toEqual(events.slice(-1));
  });

  it("sends each line as a prompt, and exits after the last turn", async () => {
    await home.serve();
    await home.landline("run", "hello");
    const running = home.start(["attach", "last", "--quiet"]);
    await running.printed("stdout", "Hello yourself.");
    running.child.stdin.end("limit\nrefuse\n");
    expect(await running.ended).toMatchObject({
      code: 3,
      stdout: "Hello yourself.\nHalf of\nNo.\n",
    });
  });

  it("follows other clients, answers requests, and exits on Ctrl-C", async () => {
    await home.serve();
    await home.landline("run", "hello");
    const running = home.start(["attach", "last"]);
    await running.printed("stdout", "Hello yourself.");
    running.child.stdin.write("ask\n");
    await running.printed("stderr", /1\. .*\(allow once\)/);
    running.child.stdin.write("1\n");
    await running.printed("stdout", "It was allowed.");
    const other = await home.landline("run", "limit", "--session", "last");
    expect(other.code).toBe(5);
    await running.printed("stdout", "Half of");
    await running.printed("stderr", "max_tokens");
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("> limit"),
    });
  });

  it("cancels the turn first", async () => {
    await home.serve();
    await home.landline("run", "hello");
    const running = home.start(["attach", "last"]);
    running.child.stdin.write("wait\n");
    await running.printed("stdout", "Working");
    running.child.kill("SIGINT");
    await running.printed("stderr", "The turn ended with cancelled");
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 4 });
  });

  it("continues after a restart of the gateway, and sends what was typed meanwhile", async () => {
    const { running: gateway } = await home.serve();
    await home.landline("run", "hello");
    const running = home.start(["attach", "last", "--quiet"]);
    await running.printed("stdout", "Hello yourself.");
    gateway.child.kill("SIGKILL");
    await gateway.ended;
    running.child.stdin.end("limit\n");
    await home.serve();
    expect(await running.ended).toMatchObject({
      code: 5,
      stdout: "Hello yourself.\nHalf of\n",
    });
  });

  it("of an unknown session exits with 2", async () => {
    await home.serve();
    for (const session of ["last", "no-such-session", "../../etc"]) {
      expect(await home.landline("attach", session)).toMatchObject({ code: 2, stdout: "" });
    }
  });
});

describe("landline export", () => {
  it.each([
    ["json", /^\{/],
    ["md", /^# /],
    ["html", /^<!doctype html>/i],
  ])("writes %s to stdout, or to a new file", async (format, start) => {
    await home.serve();
    await home.landline("run", "hello");
    const printed = await home.landline("export", "last", "--format", format);
    expect(printed).toEqual({ code: 0, stdout: expect.stringMatching(start), stderr: "" });
    expect(printed.stdout).toContain("yourself.");
    const file = home.path(`out.${format}`);
    expect(
      await home.landline("export", "last", "--format", format, "--output", file),
    ).toMatchObject({ code: 0 });
    expect((await readFile(file, "utf8")).trimEnd()).toBe(printed.stdout.trimEnd());
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await home.landline("export", "last", "--output", file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the file already exists"),
    });
  });
});

describe("landline token", () => {
  it("creates, lists and revokes tokens of a running gateway", async () => {
    const { url, token } = await home.serve();
    const status = async (offered: string) =>
      (await fetch(`${url}/api/sessions`, { headers: { authorization: `Bearer ${offered}` } }))
        .status;
    const [made] = lines(
      (await home.landline("token", "new", "phone", "--role", "watch", "--json")).stdout,
    );
    expect(made).toMatchObject({ name: "phone", role: "watch", token: expect.any(String) });
    await expect.poll(() => status(String(made?.["token"]))).toBe(200);
    const listed = lines((await home.landline("token", "list", "--json")).stdout);
    expect(listed).toHaveLength(2);
    expect(JSON.stringify(listed)).not.toContain(made?.["token"]);
    expect((await home.landline("token", "revoke", String(made?.["id"]))).code).toBe(0);
    await expect.poll(() => status(String(made?.["token"]))).toBe(401);
    expect(await status(token)).toBe(200);
    expect(await home.landline("token", "revoke", "nobody")).toMatchObject({ code: 2 });
    expect(await home.landline("token", "url")).toEqual({
      code: 0,
      stdout: `${url}/#token=${token}\n`,
      stderr: "",
    });
  });

  it("works without a gateway, except for the URL", async () => {
    const made = await home.landline("token", "new");
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ll_\S+\n$/) });
    expect((await home.landline("token", "list")).stdout).toContain("control");
    expect(await home.landline("token", "url")).toMatchObject({ code: 6, stdout: "" });
  });
});

describe("landline agents", () => {
  it("lists the same with and without a gateway", async () => {
    const before = lines((await home.landline("agents", "--json")).stdout);
    expect(before[0]).toMatchObject({ id: "landline", found: true });
    expect(before[1]).toMatchObject({ id: "scripted", found: true });
    await home.serve();
    expect(lines((await home.landline("agents", "--json")).stdout)).toEqual(before);
    expect((await home.landline("agents")).stdout).toMatch(
      /^AGENT +NAME +FOUND +HOW\nlandline +Landline +yes +built in\nscripted +scripted +yes/,
    );
  });
});

describe("landline doctor", () => {
  const segment = async () => {
    const [session = ""] = await readdir(path.join(home.data, "sessions"));
    return path.join(home.data, "sessions", session, "000000000001.ndjson");
  };

  it("finds no problem, and rebuilds the database", async () => {
    await home.landline("run", "hello");
    const checked = await home.landline("doctor");
    // A slow machine prints the progress.
    const stderr = expect.stringMatching(/^(?: {2}reading the logs: .*\n)*$/) as unknown;
    expect(checked).toMatchObject({ code: 0, stderr });
    expect(checked.stdout).toMatch(
      /✓ folder: [^]*✓ sandbox: Commands [^]*✓ log: 1 of 1 sessions[^]*✓ database: The database has 1/,
    );
    await rm(path.join(home.data, "derived.sqlite"));
    const rebuilt = lines((await home.landline("doctor", "--rebuild", "--json")).stdout);
    expect(rebuilt.at(-1)).toMatchObject({ check: "rebuild", ok: true });
    expect((await home.landline("doctor")).stdout).toContain("has 1 sessions");
  });

  it("reports which processes end with their agent, with and without an interpreter", async () => {
    const said = async (environment: Record<string, string> = {}) => {
      const running = home.start(["doctor", "--json"], environment);
      running.child.stdin.end();
      const { code, stdout } = await running.ended;
      expect(code).toBe(0);
      return lines(stdout).find((line) => (line as { check: string }).check === "processes");
    };
    expect(await said()).toMatchObject({
      ok: true,
      message: expect.stringMatching(/^All child processes .* \(supervised by \/.*(?:perl|python)/),
    });
    expect(await said({ PATH: home.folder })).toMatchObject({
      ok: true,
      message: expect.stringContaining("outlive their agent"),
      help: expect.stringContaining("Install perl"),
    });
  });

  it("names a damaged log, exits with 1, and changes nothing", async () => {
    await home.landline("run", "hello");
    const file = await segment();
    const text = (await readFile(file, "utf8")).replace('"seq":3', '"seq":9');
    await writeFile(file, text);
    const { code, stdout } = await home.landline("doctor", "--json");
    expect(code).toBe(1);
    expect(lines(stdout)).toContainEqual(
      expect.objectContaining({ check: "log", ok: false, sessionId: expect.any(String) }),
    );
    expect(await readFile(file, "utf8")).toBe(text);
  });

  it("reports that the rules file was damaged, until a person acknowledges it", async () => {
    await home.landline("run", "hello");
    await writeFile(path.join(home.data, "rules.json"), "{");
    for (const _ of ["found now", "found before"]) {
      const { code, stdout } = await home.landline("doctor");
      expect(code).toBe(1);
      expect(stdout).toMatch(/✗ rules: The permission rules file was damaged: it is not JSON\./);
    }
  });

  it("checks a running gateway, and does not touch its folder", async () => {
    await home.serve();
    expect(await home.landline("doctor")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("runs and answers"),
    });
    expect(await home.landline("doctor", "--rebuild")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("Stop the gateway"),
    });
  });

  it("of an unusable folder says why", async () => {
    await writeFile(home.data, "");
    expect(await home.landline("doctor")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("is not a folder"),
    });
  });
});

describe("landline config", () => {
  it("prints the schema, and the effective config without secrets", async () => {
    const schema = JSON.parse((await home.landline("config", "schema")).stdout) as object;
    expect(schema).toHaveProperty("properties.agents");
    const agents = [{ ...home.agent("a"), env: { KEY: "s3cret" } }];
    await writeFile(home.path("config.json"), JSON.stringify({ agents }));
    const running = home.start(["config", "show"], { LANDLINE_TOKEN: "t0ken" });
    const { stdout } = await running.ended;
    expect(JSON.parse(stdout)).toMatchObject({ dataFolder: home.data, agents: [{ id: "a" }] });
    expect(stdout).not.toMatch(/s3cret|t0ken/);
  });
});
