import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { makeCertificate, Persona } from "@landline/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connected, leave } from "./acp-editor.ts";
import { Home } from "./landline.ts";

// A gateway that serves HTTPS with a self-signed certificate, on another computer as far as the tests are concerned.
let far: Home;
let url: string;
let token: string;
let trusting: { readonly NODE_EXTRA_CA_CERTS: string };
beforeAll(async () => {
  far = await Home.make();
  const { cert, key } = await makeCertificate(far.folder);
  trusting = { NODE_EXTRA_CA_CERTS: cert };
  ({ url, token } = await far.serve("--cert", cert, "--key", key));
});
afterAll(() => far[Symbol.asyncDispose]());

const untrusted = /its certificate is self-signed, and not trusted here.*NODE_EXTRA_CA_CERTS/s;

describe("landline acp --gateway https://…", () => {
  it("has a turn if the certificate is trusted", async () => {
    await using home = await Home.make();
    const link = `${url}/#token=${token}`;
    const editor = connected(home.start(["acp", "--gateway", link], trusting), new Persona("full"));
    await editor.persona.initialize();
    const { sessionId } = await editor.persona.open(far.folder);
    expect(await editor.persona.prompt(sessionId, "hello")).toMatchObject({
      stopReason: "end_turn",
    });
    expect(JSON.stringify(editor.persona.wire.updates(sessionId))).toContain("yourself.");
    expect(editor.persona.wire.faults()).toEqual([]);
    await leave(editor);
  });

  it.each([{ more: [] }, { more: ["--attach", "last"] }])(
    "says what to do if it is not trusted, with $more",
    async ({ more }) => {
      await using home = await Home.make();
      const link = `${url}/#token=${token}`;
      const persona = new Persona("full");
      const { running } = connected(home.start(["acp", "--gateway", link, ...more]), persona);
      await expect(persona.initialize()).rejects.toThrow(untrusted);
      running.child.stdin.end();
      const { code, stderr } = await running.ended;
      expect(code).not.toBe(0);
      expect(stderr).toMatch(untrusted);
      expect(stderr).not.toContain(token);
    },
  );
});

/** A home whose agent is the agent of the far gateway. */
async function homeWithFarAgent(scheme: "wss" | "https"): Promise<Home> {
  const home = await Home.make();
  const file = home.path("config.json");
  const config = JSON.parse(await readFile(file, "utf8")) as object;
  const endpoint = `${url.replace("https", scheme)}/acp?agent=scripted`;
  const agents = [{ id: "far", endpoint, token }];
  await writeFile(file, JSON.stringify({ ...config, agents, defaultAgent: "far" }));
  return home;
}

/** Starts a gateway, with this environment, and an editor that uses it. */
async function editorOf(home: Home, environment: Record<string, string>) {
  const gateway = home.start(["serve", "--json"], environment);
  await gateway.printed("stdout", "\n");
  return connected(home.start(["acp"]), new Persona("full"));
}

describe.each(["wss", "https"] as const)("an agent at %s://…", (scheme) => {
  it("has a turn with files of the editor if the certificate is trusted", async () => {
    await using home = await homeWithFarAgent(scheme);
    await writeFile(home.path("notes.txt"), "saved");
    const editor = await editorOf(home, trusting);
    const { persona } = editor;
    await persona.initialize();
    const { sessionId } = await persona.open(home.folder);
    persona.buffers.set(home.path("notes.txt"), "unsaved");
    expect(await persona.prompt(sessionId, "edit")).toMatchObject({ stopReason: "end_turn" });
    expect(persona.buffers.get(home.path("notes.txt"))).toBe("unsaved, edited");
    expect(persona.wire.faults()).toEqual([]);
    await leave(editor);
  });

  it("is reported with what to do if it is not trusted", async () => {
    await using home = await homeWithFarAgent(scheme);
    const { persona, running } = await editorOf(home, {});
    await expect(persona.initialize()).rejects.toThrow(
      "its certificate is self-signed, and not trusted here",
    );
    running.child.stdin.end();
    await once(running.child, "close");
    const { code, stderr } = await home.landline("run", "hello");
    expect(code).not.toBe(0);
    expect(stderr).toMatch(untrusted);
    expect(stderr).not.toContain(token);
  });
});
