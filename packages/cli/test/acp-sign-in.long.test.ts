import { readFile, writeFile } from "node:fs/promises";
import { Persona, shippedScenario } from "@landline/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { connected, leave } from "./acp-editor.ts";
import { Home } from "./landline.ts";

let home: Home;
beforeEach(async () => {
  home = await Home.make();
  const scenario = JSON.parse(await readFile(shippedScenario("sign-in"), "utf8")) as object;
  // With a state folder, later starts of the agent are signed in.
  await writeFile(home.path("scenario.json"), JSON.stringify({ ...scenario, state: "state" }));
});
afterEach(() => home[Symbol.asyncDispose]());

interface TerminalMethod {
  readonly id: string;
  readonly args: readonly string[];
}

it("an editor signs in in a terminal with its own agent command", async () => {
  await home.serve();
  const persona = new Persona("full");
  const editor = connected(home.start(["acp"]), persona);
  const { authMethods } = await persona.initialize();
  const method = authMethods?.find(({ id }) => id === "login") as TerminalMethod | undefined;
  expect(method?.args).toEqual(["--agent", "scripted", "--sign-in", "login"]);
  await expect(persona.open(home.folder)).rejects.toMatchObject({ code: -32000 });
  const signIn = home.start(["acp", ...(method?.args ?? [])]);
  await signIn.printed("stdout", "Code:");
  signIn.child.stdin.write("1234\r");
  const { code, stdout } = await signIn.ended;
  expect(stdout).toContain("You are signed in.");
  expect(code).toBe(0);
  const { sessionId } = await persona.open(home.folder);
  expect(await persona.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
  await leave(editor);
});

it("reports a failed sign-in and an unknown method", async () => {
  await home.serve();
  const signIn = home.start(["acp", "--agent", "scripted", "--sign-in", "login"]);
  await signIn.printed("stdout", "Code:");
  signIn.child.stdin.write("wrong\r");
  expect(await signIn.ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("its program ended with exit code 1") as string,
  });
  const unknown = await home.landline("acp", "--agent", "scripted", "--sign-in", "nothing");
  expect(unknown.code).not.toBe(0);
  expect(unknown.stderr).toContain('"Log in in a terminal" (login)');
});
