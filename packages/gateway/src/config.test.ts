import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LandlineError, limitsOf } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configJsonSchema, loadConfig } from "./config.ts";

let home: string;
let file: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "landline-config-"));
  file = join(home, ".config/landline/config.json");
  await mkdir(join(home, ".config/landline"), { recursive: true });
});
afterEach(() => rm(home, { recursive: true, force: true }));

type Flags = NonNullable<Parameters<typeof loadConfig>[0]>["flags"];

async function load(config: unknown, environment: Record<string, string> = {}, flags: Flags = {}) {
  if (config !== undefined)
    await writeFile(file, typeof config === "string" ? config : JSON.stringify(config));
  return loadConfig({ flags, environment: { HOME: home, ...environment }, workingFolder: home });
}

async function refusal(...given: Parameters<typeof load>): Promise<string> {
  const error: unknown = await load(...given).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LandlineError);
  expect(error).toMatchObject({ code: "config-invalid" });
  return (error as LandlineError).message;
}

describe("without a file", () => {
  it("has defaults", async () => {
    expect(await load(undefined)).toEqual({
      dataFolder: join(home, ".local/share/landline"),
      certificate: null,
      host: "127.0.0.1",
      port: 3001,
      agents: [],
      agentFlags: [],
      defaultAgent: null,
      policy: {},
      projects: [],
      profile: "default",
      limits: limitsOf("default"),
      durability: "process",
      retention: {},
      resumeQueue: false,
      address: { basePath: "", hosts: [], origins: [] },
      publicUrl: null,
      logLevel: "info",
      trace: false,
      acpV2: false,
      token: null,
    });
  });

  it("defaults to log level warn at a terminal", async () => {
    const place = { environment: { HOME: home }, workingFolder: home, isAtTerminal: true };
    expect(await loadConfig(place)).toMatchObject({ logLevel: "warn" });
    const flags = { logLevel: "info" };
    expect(await loadConfig({ ...place, flags })).toMatchObject({ logLevel: "info" });
  });

  it("uses XDG_DATA_HOME and XDG_CONFIG_HOME if they are absolute", async () => {
    await mkdir(join(home, "elsewhere/landline"), { recursive: true });
    await writeFile(join(home, "elsewhere/landline/config.json"), '{"port":4000}');
    const environment = { XDG_DATA_HOME: "/data", XDG_CONFIG_HOME: join(home, "elsewhere") };
    expect(await load(undefined, environment)).toMatchObject({
      dataFolder: "/data/landline",
      port: 4000,
    });
    expect(await load(undefined, { XDG_DATA_HOME: "data" })).toMatchObject({
      dataFolder: join(home, ".local/share/landline"),
    });
  });

  it("fails if the flag or the environment names a file", async () => {
    expect(await refusal(undefined, {}, { config: "missing.json" })).toBe(
      `${join(home, "missing.json")}: there is no such file.`,
    );
    expect(await refusal(undefined, { LANDLINE_CONFIG: "/nowhere/x.json" })).toMatch(
      /^\/nowhere\/x\.json: there is no such file/,
    );
  });
});

describe("a file", () => {
  it("can set every option", async () => {
    const mcpServers = [{ name: "docs", command: "docs-server", args: [], env: [] }];
    const options = await load({
      $schema: "./schema.json",
      dataFolder: "~/sessions",
      port: 0,
      agents: [
        {
          id: "mine",
          name: "Mine",
          command: "~/bin/mine",
          args: ["--acp"],
          env: { KEY: "1" },
          cwd: "/",
        },
        { id: "far", endpoint: "tcp://10.0.0.2:9000", quirks: ["relativePaths"] },
      ],
      defaultAgent: "mine",
      projects: { "/repo": {}, "~/work/": { mcpServers } },
      limitsProfile: "spec",
      limits: { promptsPerMinute: 5, promptMs: null },
      durability: "disk",
      retention: { maxAgeDays: 2, maxBytes: 1_000 },
      policy: {
        mine: {
          withhold: ["terminals"],
          sandbox: { network: ["*.example.org", "localhost:80"] },
          terminalSandbox: false,
        },
        one: { terminalSandbox: true },
        two: { terminalSandbox: { write: ["~/w"], caches: [], network: ["example.com"] } },
      },
      resumeQueue: true,
      basePath: "/landline/",
      publicUrl: "https://example.org/landline/",
      hosts: ["box:3001"],
      origins: ["https://other.example"],
      logLevel: "debug",
    });
    expect(options).toMatchObject({
      dataFolder: join(home, "sessions"),
      port: 0,
      agents: [
        { id: "mine", name: "Mine", command: join(home, "bin/mine"), args: ["--acp"], cwd: "/" },
        { id: "far", endpoint: "tcp://10.0.0.2:9000", quirks: ["relativePaths"] },
      ],
      projects: [
        { folder: join(home, "work"), mcpServers },
        { folder: "/repo", mcpServers: [] },
      ],
      profile: "spec",
      retention: { maxAgeMs: 2 * 86_400_000, maxBytes: 1_000 },
      policy: {
        mine: {
          withhold: { files: false, terminals: true },
          sandbox: { network: ["*.example.org", "localhost:80"] },
          terminalSandbox: "off",
        },
        one: {
          withhold: { files: false, terminals: false },
          terminalSandbox: { write: [], read: [], caches: null, network: "off" },
        },
        two: {
          withhold: { files: false, terminals: false },
          terminalSandbox: {
            write: [join(home, "w")],
            read: [],
            caches: [],
            network: ["example.com"],
          },
        },
      },
      address: {
        basePath: "/landline",
        hosts: ["box:3001", "example.org"],
        origins: ["https://other.example", "https://example.org"],
      },
      publicUrl: "https://example.org/landline",
    });
    expect(options.limits).toEqual(limitsOf("spec", { promptsPerMinute: 5, promptMs: null }));
  });

  it("resolves program paths against its own folder, and leaves arguments unchanged", async () => {
    const agents = [
      { id: "a", command: "./bin/agent", args: ["./script.js"] },
      { id: "b", command: "../agent" },
      { id: "c", command: "agent", args: ["bin/agent"] },
    ];
    expect((await load({ agents })).agents).toEqual([
      { id: "a", command: join(dirname(file), "bin/agent"), args: ["./script.js"] },
      { id: "b", command: join(dirname(file), "../agent") },
      { id: "c", command: "agent", args: ["bin/agent"] },
    ]);
  });

  it("converts minutes and seconds to milliseconds", async () => {
    expect((await load({ idleAgentMinutes: 0.5, maxAgents: 3 })).limits).toMatchObject({
      agentIdleMs: 30_000,
      agentsRunning: 3,
    });
    expect((await load({ idleAgentMinutes: 0 })).limits).toMatchObject({ agentIdleMs: null });
    expect((await load({ askLimitSeconds: 1.5 })).limits).toMatchObject({ askMs: 1_500 });
  });

  it.each([
    ["{", /config\.json: not valid JSON/],
    ['{"port": 1, // why\n}', /not valid JSON \(line 1 column 13\); JSON has no comments/],
    ["[]", /config\.json: the file must contain one JSON object/],
    ["null", /config\.json: the file must contain one JSON object/],
    [{ prot: 1 }, /config\.json: unknown field "prot"\. Did you mean "port"\?/],
    [{ datafolder: "/x" }, /Did you mean "dataFolder"\?/],
    [{ zebra: 1 }, /unknown field "zebra"\. Known fields: dataFolder, host, port/],
    [{ port: "3001" }, /config\.json: port must be a whole number/],
    [{ port: 70_000 }, /port must be a whole number from 0 to 65535/],
    [{ dataFolder: "data" }, /dataFolder must be an absolute path/],
    [{ durability: "both" }, /durability must be "process" or "disk"/],
    [{ agents: {} }, /agents must be an array/],
    [{ agents: [{ id: "a" }] }, /agents\[0\]\.command is required \(a string\)/],
    [{ agents: [{ id: "a", command: 3 }] }, /agents\[0\]\.command must be a string/],
    [{ agents: [{ id: "a b", command: "x" }] }, /agents\[0\]\.id must be 1 to 64 letters/],
    [{ agents: [{ id: "a", comand: "x" }] }, /agents\[0\]/],
    [{ agents: [{ id: "a", endpoint: "http://x" }] }, /agents\[0\]\.endpoint must be tcp:/],
    [{ agents: [{ id: "a", command: "a", quirks: ["odd"] }] }, /agents\[0\]\.quirks\[0\]/],
    [
      { agents: [{ id: "a", command: "x", arg: [] }] },
      /unknown field "arg" in agents\[0\]\. Did you mean "args"\?/,
    ],
    [{ agents: [{ id: "a", command: "x\0" }] }, /command must not contain a NUL/],
    [
      {
        agents: [
          { id: "a", command: "x" },
          { id: "a", command: "y" },
        ],
      },
      /two agents have the id "a"/,
    ],
    [{ limits: { promptPerMinute: 1 } }, /in limits\. Did you mean "promptsPerMinute"\?/],
    [{ limits: { idLength: 1 } }, /unknown field "idLength" in limits/],
    [{ limits: { promptsPerMinute: -1 } }, /limits\.promptsPerMinute must be at least 0/],
    [
      { retention: { maxAge: 1 } },
      /in retention\. Did you mean "maxAgeDays"\?|Known fields: maxAge/,
    ],
    [{ policy: { a: { terminalSandbox: { network: [] } } } }, /policy\.a\.terminalSandbox/],
    [{ policy: { a: { withhold: ["file"] } } }, /policy\.a\.withhold\[0\] must be "files" or/],
    [{ policy: { a: { sandbox: { network: ["a", "*"] } } } }, /network\[1\] must be a host: "exam/],
    [
      { policy: { a: { sandbox: { network: "none" } } } },
      /network must be "on", "off" or a list of/,
    ],
    [{ projects: { relative: {} } }, /projects\.relative must be an absolute path/],
    [{ projects: { "/a": { mcpServers: [{ name: "x" }] } } }, /projects\["\/a"\]\.mcpServers\[0\]/],
    [{ basePath: "landline" }, /basePath must be a path like/],
    [{ publicUrl: "example.org" }, /publicUrl must be an http or https URL/],
    [{ origins: ["https://a.example/x"] }, /origins\[0\] must be an origin/],
    [{ hosts: ["http://a"] }, /hosts\[0\] must be a host name/],
  ])("%j is rejected with a clear message", async (config, expected) => {
    expect(await refusal(config)).toMatch(expected);
  });

  it("is never quoted in messages, because it may contain API keys", async () => {
    for (const config of [
      '{"agents":[{"env":{"KEY":"s3cret',
      '{"KEY": s3cret}',
      { agents: [{ id: "a", command: "x", env: { KEY: { s3cret: 1 } } }] },
      { host: "s3cret s3cret" },
    ]) {
      expect(await refusal(config)).not.toContain("s3cret");
    }
  });

  it("that is a folder is reported as unreadable", async () => {
    expect(await refusal(undefined, { LANDLINE_CONFIG: home })).toContain("can't be read (EISDIR)");
  });
});

describe("environment and flags", () => {
  it("override the file, and flags override the environment", async () => {
    const config = { port: 1, host: "127.0.0.1", durability: "disk", logLevel: "warn" };
    const environment = {
      LANDLINE_PORT: "2",
      LANDLINE_HOST: "127.0.0.2",
      LANDLINE_LOG_LEVEL: "",
      LANDLINE_TRACE: "no",
    };
    expect(await load({ trace: true }, environment)).toMatchObject({ trace: false });
    expect(await load(config, environment, { port: "3", trace: true })).toMatchObject({
      trace: true,
      port: 3,
      host: "127.0.0.2",
      durability: "disk",
      logLevel: "warn",
    });
  });

  it("resolve paths against the working folder and parse comma-separated lists and booleans", async () => {
    const options = await load(
      {},
      { LANDLINE_HOSTS: "a, b:1,", LANDLINE_RESUME_QUEUE: "yes", LANDLINE_DATA: "x" },
      { data: "../y", agent: ["one=a b", "two=c"] },
    );
    expect(options).toMatchObject({
      dataFolder: join(home, "../y"),
      address: { hosts: ["a", "b:1"] },
      resumeQueue: true,
      agentFlags: ["one=a b", "two=c"],
    });
  });

  it.each([
    [{ LANDLINE_PORT: "many" }, {}, /^LANDLINE_PORT: it must be a whole number/],
    [{}, { port: "-1" }, /^--port: it must be a whole number/],
    [{}, { limits: "strict" }, /^--limits: it must be "default" or "spec"/],
    [{}, { durability: "x" }, /^--durability: it must be "process" or "disk"/],
    [{ LANDLINE_RESUME_QUEUE: "maybe" }, {}, /^LANDLINE_RESUME_QUEUE: it must be a boolean/],
  ])(
    "%j %j are rejected with the name of the variable or flag",
    async (environment, flags, expected) => {
      expect(await refusal({}, environment as Record<string, string>, flags)).toMatch(expected);
    },
  );

  it("can set the token", async () => {
    expect((await load({}, { LANDLINE_TOKEN: "t0ken-of_mine" })).token).toBe("t0ken-of_mine");
  });
});

describe("a host that is not loopback", () => {
  it.each(["0.0.0.0", "::", "192.168.1.2", "box"])("%s needs the explicit flag", async (host) => {
    expect(await refusal({ host })).toMatch(
      /would let everybody on the network try to connect.*unencrypted/,
    );
    expect((await load({ host }, {}, { insecureLan: true })).host).toBe(host);
    expect((await load({ host, insecureLan: true })).host).toBe(host);
  });

  it("needs none with a certificate", async () => {
    const files = { cert: "/etc/gateway.crt", key: "/etc/gateway.key" };
    expect(await load({ host: "0.0.0.0", ...files })).toMatchObject({ certificate: files });
    await expect(load({ key: files.key })).rejects.toThrow("A key needs a certificate");
  });

  it.each(["127.0.0.1", "127.1.2.3", "::1", "localhost"])("%s does not", async (host) => {
    expect((await load({ host })).host).toBe(host);
  });
});

it("takes origins from flags", async () => {
  const origin = ["https://one.example", "https://two.example"];
  const { address } = await load({}, {}, { origin });
  expect(address.origins).toEqual(origin);
  await expect(load({}, {}, { origin: ["one.example"] })).rejects.toThrow("--origin");
});

describe("the JSON schema", () => {
  it("describes every field", async () => {
    const schema = (await configJsonSchema()) as { properties: Record<string, unknown> };
    expect(Object.keys(schema.properties)).toContain("askLimitSeconds");
    expect(schema).toMatchObject({
      type: "object",
      additionalProperties: false,
      properties: {
        port: { type: "integer", maximum: 65_535, description: expect.any(String) },
        limits: { properties: { promptsPerMinute: { type: "integer" } } },
      },
    });
    expect(schema).not.toHaveProperty("required");
  });
});

describe("the built-in agent", () => {
  const builtInAgent = { id: "landline", name: "Landline", command: "node", args: ["agent"] };
  const withBuiltIn = async (config: object, flags: Flags = {}) => {
    await writeFile(file, JSON.stringify(config));
    return loadConfig({ flags, environment: { HOME: home }, workingFolder: home, builtInAgent });
  };

  it("is the default only if no other agent is configured", async () => {
    const mine = { agents: [{ id: "mine", command: "x" }] };
    expect(await withBuiltIn({})).toMatchObject({ builtInAgent, defaultAgent: "landline" });
    expect(await withBuiltIn(mine)).toMatchObject({ builtInAgent, defaultAgent: "mine" });
    expect(await withBuiltIn(mine, { agent: ["one=a b"] })).toMatchObject({ defaultAgent: "one" });
    expect(await withBuiltIn({ ...mine, defaultAgent: "far" })).toMatchObject({
      defaultAgent: "far",
    });
  });
});

describe("an agent at an address", () => {
  it("can have a token", async () => {
    const far = { id: "far", endpoint: "tcp://127.0.0.1:4000", token: "t" };
    expect((await load({ agents: [far] })).agents).toEqual([far]);
    expect(await refusal({ agents: [{ ...far, token: "" }] })).toContain("token");
  });
});
