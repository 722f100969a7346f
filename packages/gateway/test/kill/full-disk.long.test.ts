import { spawnSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { expect, test } from "vitest";
import { GatewayProcess } from "./gateway-process.ts";
import { until } from "./until.ts";

/** A disk for this process only: it needs no rights except a user namespace. */
const ownDisk = ["-U", "-r", "-m", "sh", "-c"];
const canMount =
  spawnSync("unshare", [...ownDisk, "mount -t tmpfs tmpfs /mnt"], { stdio: "ignore" }).status === 0;

/** Puts the data folder on a disk of 4 MB, and fills the rest of it. */
const onFullDisk = [
  `mv "$LANDLINE_DATA" "$LANDLINE_DATA.before" && mkdir -m 700 "$LANDLINE_DATA"`,
  `mount -t tmpfs -o size=4m,mode=700 tmpfs "$LANDLINE_DATA"`,
  `cp -a "$LANDLINE_DATA.before/." "$LANDLINE_DATA"`,
  `{ dd if=/dev/zero of="$LANDLINE_DATA/filler" bs=1k 2>/dev/null; true; }`,
  `exec "$0" "$@"`,
].join(" && ");

const steps = [{ say: "Hello." }];

test.skipIf(!canMount)(
  "with a full disk it starts; sessions can be read, exported and deleted, and writes report the reason",
  async () => {
    await using gateway = await GatewayProcess.make({ agent: { turns: [{ steps }] } });
    await gateway.start();
    const [read = "", cut = "", large = ""] = await Promise.all(
      ["a", "b", "c"].map(() => gateway.openSession("agent")),
    );
    const ended = async (id: string) =>
      (await gateway.logEvents(id)).some(({ kind }) => kind === "turn-ended");
    for (const id of [read, cut, large]) {
      const content = id === large ? "x".repeat(1_000_000) : "go";
      await gateway.json("POST", `/api/sessions/${id}/prompts`, { content });
      await until("the turn ends", () => ended(id));
    }
    await gateway.end("SIGTERM");
    // As a gateway leaves it that is killed during a turn.
    const log = path.join(gateway.data, "sessions", cut, "000000000001.ndjson");
    const lines = (await fs.readFile(log, "utf8")).split("\n");
    const end = lines.findIndex((line) => line.includes('"turn-ended"'));
    await fs.writeFile(log, `${lines.slice(0, end).join("\n")}\n`);

    await gateway.start(["unshare", ...ownDisk, onFullDisk]);
    const { sessions } = await gateway.json<{ sessions: unknown[] }>("GET", "/api/sessions");
    expect(sessions).toEqual(Array(3).fill(expect.objectContaining({ state: "idle" })));
    // Its log has no end of the turn, and none can be written.
    expect(await gateway.json("GET", `/api/sessions/${cut}`)).toMatchObject({
      state: "idle",
      view: { turn: { state: "idle" }, lastTurn: { stopReason: "interrupted" } },
    });
    for (const id of [read, cut]) {
      const { view } = await gateway.json<{ view: object }>("GET", `/api/sessions/${id}`);
      expect(JSON.stringify(view)).toContain("Hello.");
      const exported = await gateway.call("GET", `/api/sessions/${id}/export?format=markdown`);
      expect(await exported.text()).toContain("Hello.");
    }
    // More than the rest of the last page of the log.
    const body = { content: "more ".repeat(2_000) };
    const refused = await gateway.call("POST", `/api/sessions/${read}/prompts`, body);
    expect(refused.status).toBe(507);
    expect(await refused.json()).toMatchObject({ code: "disk-full", help: expect.any(String) });
    expect(gateway.stderr).toMatch(/disk .* is full/u);

    const erased = await gateway.call("DELETE", `/api/sessions/${large}?erase=true`);
    expect(erased.status).toBe(204);
    for (const id of [read, cut]) {
      const before = await gateway.json<{ head: number }>("GET", `/api/sessions/${id}`);
      await gateway.json("POST", `/api/sessions/${id}/prompts`, body);
      await until("the turn ends", async () => {
        const now = await gateway.json<{ head: number; state: string }>(
          "GET",
          `/api/sessions/${id}`,
        );
        return now.head > before.head + 2 && now.state === "idle";
      });
    }
    expect(await gateway.end("SIGTERM")).toBe(0);
  },
  120_000,
);

test.skipIf(!canMount)(
  "on a full disk its link works until it ends",
  async () => {
    await using gateway = await GatewayProcess.make(
      { agent: { turns: [{ steps }] } },
      {},
      {},
      { environment: { LANDLINE_TOKEN: "" } },
    );
    for (const through of [[], ["unshare", ...ownDisk, onFullDisk]]) {
      const child = gateway.spawn(through);
      const [line] = (await Promise.race([
        once(child.stdout, "data"),
        once(child, "exit").then(() => [JSON.stringify({ url: gateway.stderr })]),
      ])) as [Buffer | string];
      const { url, token } = JSON.parse(String(line)) as { url: string; token: string };
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`${url}/api/devices`, { headers })).status).toBe(200);
      expect(await gateway.end("SIGTERM")).toBe(0);
    }
    expect(gateway.stderr).toContain("tokens.json can't be written");
  },
  120_000,
);

const page = 4096;

/** A session on a full disk whose log has space for as many bytes as `roomOf` says. */
async function promptOnFullDisk(
  gateway: GatewayProcess,
  roomOf: (lengthOf: (kind: string) => number) => number,
) {
  const endsOf = async (id: string) => {
    const read = await gateway.json<{ events: { kind: string }[] }>(
      "GET",
      `/api/sessions/${id}/events`,
    );
    return read.events.filter(({ kind }) => kind === "turn-ended").length;
  };
  await gateway.start();
  const large = await gateway.openSession("agent");
  const small = await gateway.openSession("agent");
  for (const [id, content] of [
    [large, "x".repeat(1_000_000)],
    [small, "go"],
  ] as const) {
    await gateway.json("POST", `/api/sessions/${id}/prompts`, { content });
    await until("the turn ends", async () => (await endsOf(id)) === 1);
  }
  await gateway.end("SIGTERM");
  const lines = await gateway.logLines(small);
  const lengthOf = (kind: string) =>
    1 + (lines.find((line) => line.includes(`"kind":"${kind}"`))?.length ?? 0);
  const log = path.join(gateway.data, "sessions", small, "000000000001.ndjson");
  const left = page - ((await fs.stat(log)).size % page);

  await gateway.start(["unshare", ...ownDisk, onFullDisk]);
  const more = left - (lengthOf("prompt-queued") - "go".length) - roomOf(lengthOf);
  const content = "y".repeat(more);
  await gateway.json("POST", `/api/sessions/${small}/prompts`, { content });
  const makeRoom = () => gateway.call("DELETE", `/api/sessions/${large}?erase=true`);
  const read = () => gateway.json<object>("GET", `/api/sessions/${small}`);
  return { session: small, content, makeRoom, read, endsOf };
}

test.skipIf(!canMount)(
  "a turn whose start the log refuses has not begun, and its prompt is sent once there is space",
  async () => {
    await using gateway = await GatewayProcess.make({ agent: { turns: [{ steps }] } });
    const prompted = await promptOnFullDisk(gateway, (lengthOf) => lengthOf("turn-started") - 30);
    const { session, content, makeRoom, read, endsOf } = prompted;
    expect(await read()).toMatchObject({
      state: "idle",
      view: { turn: { state: "idle" }, queue: [{ content: [{ text: content }] }] },
    });
    expect(gateway.stderr).toContain("A turn could not begin.");
    await makeRoom();
    await gateway.json("POST", `/api/sessions/${session}/prompts`, { content: "more" });
    await until("both turns end", async () => (await endsOf(session)) === 3);
    expect(await read()).toMatchObject({ state: "idle", view: { queue: [] } });
    expect(await gateway.end("SIGTERM")).toBe(0);
  },
  120_000,
);

test.skipIf(!canMount)(
  "a turn that began on a full disk ends, and is logged completely once there is space",
  async () => {
    const turns = [
      { match: "/^y/", steps: [{ say: "Bye." }, { crash: 1 }] },
      { match: "/./", steps },
    ];
    await using gateway = await GatewayProcess.make({ agent: { turns } }, { logRetryMs: 50 });
    const prompted = await promptOnFullDisk(gateway, (lengthOf) => lengthOf("turn-started") + 30);
    const { session, makeRoom, read, endsOf } = prompted;
    await until("the agent ends", () => gateway.agents().length === 0);
    const refused = await gateway.call("POST", `/api/sessions/${session}/prompts`, {
      content: "x",
    });
    expect(await refused.json()).toMatchObject({ code: "disk-full" });
    expect(await endsOf(session)).toBe(1);
    await makeRoom();
    await until("the log has the end", async () => (await endsOf(session)) === 2);
    expect(await read()).toMatchObject({
      state: "idle",
      view: { lastTurn: { stopReason: "failed" } },
    });
    expect(await gateway.end("SIGTERM")).toBe(0);
  },
  120_000,
);
