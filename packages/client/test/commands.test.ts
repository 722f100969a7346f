import { LandlineError } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import { eventually, hurry, until } from "./short-timing.ts";
import { FaultyGateway } from "./faulty-gateway.ts";

const yes = { outcome: "selected", optionId: "yes" } as const;
const no = { outcome: "selected", optionId: "no" } as const;

describe("commands", () => {
  it("that must not be repeated fail when the connection is lost", async () => {
    await using gateway = await FaultyGateway.listen(["none", "drop-before"]);
    gateway.open("s");
    using landline = hurry({ url: gateway.url });
    await until(landline.connection, ({ state }) => state === "online");
    await expect(landline.session("s").cancel()).rejects.toMatchObject({ code: "connection-lost" });
    expect(gateway.commands.map(({ type }) => type)).toEqual(["cancel"]);
  });

  it("that may be repeated are sent again, and an answer that had arrived counts as given", async () => {
    await using gateway = await FaultyGateway.listen(["none", "drop-before"]);
    const session = gateway.open("s");
    using landline = hurry({ url: gateway.url });
    await landline.session("s").answer("ask", yes);
    expect(gateway.commands.map(({ type }) => type)).toEqual(["answer", "answer"]);
    expect(session.answers.get("ask")).toEqual(yes);
  });

  it("a deletion that had arrived counts as carried out", async () => {
    await using gateway = await FaultyGateway.listen(["none", "drop-before"]);
    gateway.open("s");
    using landline = hurry({ url: gateway.url });
    await landline.session("s").delete();
    expect(gateway.commands.map(({ type }) => type)).toEqual(["delete", "delete"]);
  });

  it("an answer with content counts as given, although the gateway does not repeat the content", async () => {
    await using gateway = await FaultyGateway.listen(["none", "drop-before"]);
    const session = gateway.open("s");
    using landline = hurry({ url: gateway.url });
    await landline.session("s").answer("ask", { action: "accept", content: { name: "Ada" } });
    expect(gateway.commands).toHaveLength(2);
    expect(session.answers.get("ask")).toEqual({ action: "accept" });
  });

  it("an earlier answer of another client is an error, repeated or not", async () => {
    await using gateway = await FaultyGateway.listen(["none", "drop-before"]);
    const session = gateway.open("s");
    session.answers.set("ask", no);
    using landline = hurry({ url: gateway.url });
    const settled = { code: "ask-already-settled", data: { outcome: no } };
    await expect(landline.session("s").answer("ask", yes)).rejects.toMatchObject(settled);
    await expect(landline.session("s").answer("ask", yes)).rejects.toMatchObject(settled);
    expect(session.answers.get("ask")).toEqual(no);
  });

  it("can carry a note with an answer", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.open("s");
    using landline = hurry({ url: gateway.url });
    await landline.session("s").answer("one", no, "Use the other file.");
    await landline.session("s").answer("two", no);
    expect(gateway.commands).toMatchObject([
      { askId: "one", outcome: no, note: "Use the other file." },
      { askId: "two" },
    ]);
    expect(gateway.commands[1]).not.toHaveProperty("note");
  });

  it("wait for the connection while offline", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.open("s");
    gateway.refusal = new LandlineError("disk-full");
    using landline = hurry({ url: gateway.url });
    await until(landline.connection, ({ state }) => state === "offline");
    const renamed = landline.session("s").rename("Later");
    gateway.refusal = null;
    await renamed;
    expect(gateway.sessions.get("s")?.title).toBe("Later");
  });

  it("can have any timeout", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.open("s");
    gateway.refusal = new LandlineError("disk-full");
    using landline = hurry({ url: gateway.url, commandMs: Number.POSITIVE_INFINITY });
    const renamed = landline.session("s").rename("Late");
    await until(landline.connection, ({ state }) => state === "offline");
    gateway.refusal = null;
    await renamed;
    expect(gateway.sessions.get("s")?.title).toBe("Late");
  });

  it("that are never answered fail in time, and report whether they were sent", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.open("s");
    using landline = hurry({ url: gateway.url, commandMs: 40 }, { quietMs: 60_000 });
    await until(landline.connection, ({ state }) => state === "online");
    gateway.isMute = true;
    await expect(landline.session("s").cancel()).rejects.toMatchObject({ code: "timeout" });
    gateway.refusal = new LandlineError("disk-full");
    gateway.isMute = false;
    gateway.hangUp();
    await until(landline.connection, ({ state }) => state === "offline");
    await expect(landline.session("s").cancel()).rejects.toMatchObject({
      code: "connection-lost",
      message: expect.stringContaining("nothing was sent"),
    });
  });

  it("are sent again when the gateway was busy, after the given delay", async () => {
    await using gateway = await FaultyGateway.listen(["refuse", "none", "refuse", "none"]);
    gateway.open("s");
    using landline = hurry({ url: gateway.url });
    await landline.session("s").rename("Third time");
    expect(gateway.commands.map(({ type }) => type)).toEqual(["rename", "rename", "rename"]);
  });

  it("fail with the error of the gateway", async () => {
    await using gateway = await FaultyGateway.listen();
    using landline = hurry({ url: gateway.url });
    const error = await landline
      .session("nobody")
      .cancel()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LandlineError);
    expect(error).toMatchObject({ code: "session-not-found", help: expect.any(String) });
  });

  it("are bounded", async () => {
    await using gateway = await FaultyGateway.listen();
    using landline = hurry({ url: gateway.url }, { commandsOpen: 3 });
    gateway.isMute = true;
    const session = landline.session("s");
    const settled = Promise.allSettled([1, 2, 3].map(() => session.cancel()));
    await expect(session.cancel()).rejects.toMatchObject({ code: "rate-limited" });
    landline.close();
    expect((await settled).map(({ status }) => status)).toEqual([
      "rejected",
      "rejected",
      "rejected",
    ]);
  });

  it("sign in and out, answer and cancel questions of the sign-in, and show its terminal", async () => {
    await using gateway = await FaultyGateway.listen();
    using landline = hurry({ url: gateway.url });
    await landline.signIn("a", "key");
    await landline.answerSignIn("a", { action: "cancel" });
    await landline.cancelSignIn("a");
    await landline.signOut("a");
    const shown: string[] = [];
    const stop = landline.terminal("t").onOutput((text) => shown.push(text));
    await eventually(() => gateway.commands.some(({ type }) => type === "terminal-attach"));
    gateway.tellAll({ type: "terminal", terminalId: "t", text: "Code: " });
    await eventually(() => shown.length === 1);
    const late: string[] = [];
    const stopLate = landline.terminal("t").onOutput((text) => late.push(text));
    gateway.tellAll({ type: "terminal", terminalId: "t", text: "12" });
    await eventually(() => shown.length === 2);
    expect({ shown, late }).toEqual({ shown: ["Code: ", "12"], late: ["Code: ", "12"] });
    gateway.hangUp();
    await eventually(
      () => gateway.commands.filter(({ type }) => type === "terminal-attach").length === 2,
    );
    gateway.tellAll({ type: "terminal", terminalId: "t", text: "Code: 12" });
    await eventually(() => shown.length === 3);
    expect(shown[2]).toBe("\u001BcCode: 12");
    stop();
    stopLate();
    const again: string[] = [];
    landline.terminal("t").onOutput((text) => again.push(text));
    expect(again).toEqual(["\u001BcCode: 12"]);
    await landline.cancelSignIn("b");
    const types = gateway.commands.map(({ type }) => type);
    expect(types.filter((type) => type.startsWith("terminal-"))).toHaveLength(2);
    expect(gateway.commands.slice(0, 4)).toMatchObject([
      { type: "sign-in", agent: "a", methodId: "key" },
      { type: "answer-sign-in", agent: "a", outcome: { action: "cancel" } },
      { type: "cancel-sign-in", agent: "a" },
      { type: "sign-out", agent: "a" },
    ]);
  });
});
