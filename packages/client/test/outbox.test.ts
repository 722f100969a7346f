import { LandlineError } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import type { OutboxStorage } from "../src/contract.ts";
import { eventually, hurry, until } from "./short-timing.ts";
import { FaultyGateway } from "./faulty-gateway.ts";

/** The storage of a browser, for the duration of the test. */
class FakeStorage implements OutboxStorage {
  readonly kept = new Map<string, string>();
  room = Number.POSITIVE_INFINITY;

  getItem(key: string): string | null {
    return this.kept.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    if (value.length > this.room) throw new DOMException("full", "QuotaExceededError");
    this.kept.set(key, value);
  }

  removeItem(key: string): void {
    this.kept.delete(key);
  }
}

const forbidden: OutboxStorage = {
  getItem: () => {
    throw new DOMException("not here", "SecurityError");
  },
  setItem: () => {
    throw new DOMException("not here", "SecurityError");
  },
  removeItem: () => {
    throw new DOMException("not here", "SecurityError");
  },
};

const busy = new LandlineError("disk-full");
const text = (value: string) => [{ type: "text" as const, text: value }];

async function offline() {
  const gateway = await FaultyGateway.listen();
  gateway.refusal = busy;
  return { gateway, session: gateway.open("s") };
}

describe("the outbox", () => {
  it("keeps prompts across a reload, and sends them in order when the gateway is reachable", async () => {
    const { gateway, session } = await offline();
    await using _gateway = gateway;
    const storage = new FakeStorage();
    {
      using page = hurry({ url: gateway.url, storage });
      const lost = ["a", "b", "c"].map((id) => page.session("s").prompt(`say ${id}`, id));
      const outgoing = page.session("s").getSnapshot().outgoing;
      expect(outgoing.map(({ promptId, state }) => [promptId, state])).toEqual([
        ["a", "waiting"],
        ["b", "waiting"],
        ["c", "waiting"],
      ]);
      page.close();
      for (const prompt of lost)
        await expect(prompt).rejects.toMatchObject({ code: "request-cancelled" });
    }
    using page = hurry({ url: gateway.url, storage });
    expect(page.session("s").getSnapshot().outgoing[1]).toMatchObject({ content: text("say b") });
    gateway.refusal = null;
    await until(page.session("s"), ({ outgoing }) => outgoing.length === 0);
    expect(session.prompts).toEqual(["a", "b", "c"]);
    expect(storage.kept.size).toBe(0);
  });

  it("sends a prompt once, however often its answer is lost", async () => {
    await using gateway = await FaultyGateway.listen(["none", "drop-before", "none", "silence"]);
    const session = gateway.open("s");
    using landline = hurry({ url: gateway.url }, { quickCommandMs: 150 });
    const promptId = "p";
    await Promise.all([
      landline.session("s").prompt("once", promptId),
      landline.session("s").prompt("once", promptId),
    ]);
    expect(gateway.commands.filter(({ type }) => type === "prompt").length).toBeGreaterThan(1);
    expect(session.prompts).toEqual([promptId]);
  });

  it("gives each prompt a unique id, and later ids sort later", async () => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    using landline = hurry({ url: gateway.url });
    await landline.session("s").prompt("one");
    const sentAt = Date.now();
    await eventually(() => Date.now() > sentAt);
    await landline.session("s").prompt([...text("two")]);
    expect(session.prompts).toEqual(session.prompts.toSorted());
    for (const id of session.prompts) {
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    }
  });

  it("two tabs with the same prompts do no harm", async () => {
    const { gateway, session } = await offline();
    await using _gateway = gateway;
    const storage = new FakeStorage();
    using one = hurry({ url: gateway.url, storage });
    const kept = one.session("s").prompt("kept", "kept");
    const changed = one.session("s").prompt("old", "changed");
    const withdrawn = one.session("s").prompt("never", "withdrawn");
    using two = hurry({ url: gateway.url, storage });
    await two.session("s").withdrawPrompt("withdrawn");
    await two.session("s").changePrompt("changed", "new");
    gateway.refusal = null;
    await expect(withdrawn).rejects.toMatchObject({ code: "prompt-not-found" });
    // Whichever tab sent them, the authors learn that the gateway has them.
    await Promise.all([kept, changed]);
    await until(two.session("s"), ({ outgoing }) => outgoing.length === 0);
    await eventually(() => session.prompts.length === 2);
    expect(session.prompts).toEqual(["kept", "changed"]);
    const queued = session.log.filter(({ kind }) => kind === "prompt-queued");
    expect(queued).toMatchObject([{ content: text("kept") }, { content: text("new") }]);
    using three = hurry({ url: gateway.url, storage });
    expect(three.session("s").getSnapshot().outgoing).toEqual([]);
  });

  it("sends waiting prompts also after the storage was cleared", async () => {
    const { gateway, session } = await offline();
    await using _gateway = gateway;
    const storage = new FakeStorage();
    using landline = hurry({ url: gateway.url, storage });
    const sent = landline.session("s").prompt("still wanted", "p");
    storage.kept.clear();
    gateway.refusal = null;
    await sent;
    expect(session.prompts).toEqual(["p"]);
  });

  it("remembers a bounded number of withdrawn prompts", async () => {
    const { gateway } = await offline();
    await using _gateway = gateway;
    const storage = new FakeStorage();
    using landline = hurry({ url: gateway.url, storage });
    const kept = landline.session("s").prompt("kept", "kept");
    kept.catch(() => {});
    for (let round = 0; round < 60; round++) {
      landline
        .session("s")
        .prompt("x".repeat(1_000), `p${round}`)
        .catch(() => {});
      await landline.session("s").withdrawPrompt(`p${round}`);
    }
    expect(storage.kept.size).toBe(2);
    expect([...storage.kept.values()].join("").length).toBeLessThan(3_000);
    using again = hurry({ url: gateway.url, storage });
    expect(again.session("s").getSnapshot().outgoing).toMatchObject([{ promptId: "kept" }]);
  });

  it("stores nothing for a deleted session", async () => {
    await using gateway = await FaultyGateway.listen();
    const storage = new FakeStorage();
    using landline = hurry({ url: gateway.url, storage });
    const never = landline.session("never");
    await expect(never.prompt("to nobody", "p")).rejects.toMatchObject({
      code: "session-not-found",
    });
    expect(never.getSnapshot().outgoing).toMatchObject([{ promptId: "p", state: "refused" }]);
    expect(storage.kept.size).toBe(0);
  });

  it("does not report a prompt as withdrawn if its turn has started", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.startsAtOnce = true;
    const session = gateway.open("s");
    using landline = hurry({ url: gateway.url });
    const attached = landline.session("s");
    const gone = { code: "prompt-not-found" };
    for (const isFollowed of [false, true]) {
      const stop = isFollowed ? attached.subscribe(() => {}) : () => {};
      await eventually(() => attached.getSnapshot().state === (isFollowed ? "live" : "waiting"));
      await until(landline.connection, ({ state }) => state === "online");
      const sent = attached.prompt("quick", `quick ${isFollowed}`);
      await expect(attached.withdrawPrompt(`quick ${isFollowed}`)).rejects.toMatchObject(gone);
      await expect(sent).rejects.toMatchObject({ code: "request-cancelled" });
      stop();
      await eventually(() => attached.getSnapshot().state === "waiting");
    }
    // It reaches the gateway, and the reply is lost.
    gateway.plot("none", "drop-before");
    const cut = attached.prompt("cut", "cut");
    await eventually(() => session.prompts.includes("cut"));
    await expect(attached.withdrawPrompt("cut")).rejects.toMatchObject(gone);
    await expect(cut).rejects.toMatchObject({ code: "request-cancelled" });
    expect(session.prompts).toEqual(["quick false", "quick true", "cut"]);
  });

  it("withdraws a lost prompt by not sending it again", async () => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    using landline = hurry({ url: gateway.url });
    await until(landline.connection, ({ state }) => state === "online");
    gateway.isMute = true;
    const lost = landline.session("s").prompt("lost", "lost");
    await eventually(() => gateway.commands.length === 1);
    const withdrawn = landline.session("s").withdrawPrompt("lost");
    gateway.isMute = false;
    gateway.hangUp();
    await withdrawn;
    await expect(lost).rejects.toMatchObject({ code: "request-cancelled" });
    expect(session.prompts).toEqual([]);
  });

  it("lets the gateway move a prompt that goes before a prompt in flight", async () => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    using landline = hurry({ url: gateway.url });
    const attached = landline.session("s");
    await until(landline.connection, ({ state }) => state === "online");
    gateway.isMute = true;
    const sent = ["a", "b", "c"].map((id) => attached.prompt(id, id));
    await eventually(() => gateway.commands.length === 1);
    await attached.movePrompt("b", "b");
    const order = attached.getSnapshot().outgoing.map(({ promptId }) => promptId);
    expect(order).toEqual(["a", "b", "c"]);
    const moved = attached.movePrompt("c", "a");
    gateway.isMute = false;
    gateway.hangUp();
    await Promise.all([...sent, moved]);
    expect(session.prompts).toEqual(["a", "b", "c"]);
    expect(gateway.commands.at(-1)).toMatchObject({
      type: "change-prompt",
      promptId: "c",
      before: "a",
    });
  });

  it("changes, moves and withdraws unsent prompts locally", async () => {
    const { gateway, session } = await offline();
    await using _gateway = gateway;
    using landline = hurry({ url: gateway.url });
    const attached = landline.session("s");
    const sent = ["a", "b", "c", "d"].map((id) => attached.prompt(id, id));
    await attached.changePrompt("b", "changed");
    await attached.withdrawPrompt("c");
    await attached.movePrompt("d", "a");
    await attached.movePrompt("a", null);
    await expect(sent[2]).rejects.toMatchObject({ code: "request-cancelled" });
    expect(attached.getSnapshot().outgoing).toMatchObject([
      { promptId: "d" },
      { promptId: "b", content: text("changed") },
      { promptId: "a" },
    ]);
    gateway.refusal = null;
    await Promise.all([sent[0], sent[1], sent[3]]);
    expect(session.prompts).toEqual(["d", "b", "a"]);
  });

  it("leaves acknowledged prompts to the gateway", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.open("s");
    using landline = hurry({ url: gateway.url });
    const attached = landline.session("s");
    await attached.prompt("x", "p");
    await attached.changePrompt("p", "y");
    await attached.movePrompt("p", null);
    await attached.withdrawPrompt("p");
    expect(gateway.commands.slice(1)).toMatchObject([
      { type: "change-prompt", promptId: "p", content: text("y") },
      { type: "change-prompt", promptId: "p", before: null },
      { type: "withdraw-prompt", promptId: "p" },
    ]);
    await expect(attached.withdrawPrompt("unknown")).rejects.toMatchObject({
      code: "prompt-not-found",
    });
  });

  it("shows a refused prompt, sends the next, and sends the refused one again after a change", async () => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    using landline = hurry({ url: gateway.url });
    const attached = landline.session("s");
    await expect(attached.prompt("no", "bad")).rejects.toMatchObject({ code: "invalid-params" });
    await attached.prompt("yes", "good");
    await eventually(() => attached.getSnapshot().outgoing.length === 1);
    expect(attached.getSnapshot().outgoing).toMatchObject([
      { promptId: "bad", state: "refused", error: { code: "invalid-params" } },
    ]);
    const tries = () => gateway.commands.filter(({ promptId }) => promptId === "bad").length;
    await attached.changePrompt("bad", "still no");
    await eventually(() => tries() === 2);
    await until(attached, ({ outgoing }) => outgoing[0]?.state === "refused");
    await expect(attached.prompt("once more", "bad")).rejects.toMatchObject({
      code: "invalid-params",
    });
    expect(tries()).toBe(3);
    await attached.withdrawPrompt("bad");
    expect(attached.getSnapshot().outgoing).toEqual([]);
    expect(session.prompts).toEqual(["good"]);
  });

  it("waits as long as a busy gateway says", async () => {
    await using gateway = await FaultyGateway.listen(["refuse", "none", "refuse", "none"]);
    const session = gateway.open("s");
    using landline = hurry({ url: gateway.url });
    await Promise.all(["a", "b"].map((id) => landline.session("s").prompt(id, id)));
    expect(session.prompts).toEqual(["a", "b"]);
  });

  it("a prompt is outgoing until its event is shown", async () => {
    await using gateway = await FaultyGateway.listen();
    gateway.open("s");
    using landline = hurry({ url: gateway.url }, { eventMs: 60_000 });
    const attached = landline.session("s");
    const places: string[] = [];
    let isSent = false;
    attached.subscribe(() => {
      const { outgoing, view } = attached.getSnapshot();
      const isQueued = view?.queue.some((prompt) => prompt.promptId === "p") ?? false;
      const isShown = view?.items.some((item) => item.type === "prompt") ?? false;
      if (isSent) places.push(`${outgoing.length > 0}${isQueued || isShown}`);
    });
    await until(attached, ({ state }) => state === "live");
    isSent = true;
    await attached.prompt("hello", "p");
    await until(attached, ({ view }) => view?.lastTurn !== null);
    expect(places).not.toContain("falsefalse");
    expect(places).not.toContain("truetrue");
  });

  it("refuses prompts above its limits, with help", async () => {
    const { gateway } = await offline();
    await using _gateway = gateway;
    using landline = hurry({ url: gateway.url }, { outboxPrompts: 2, outboxLength: 1_000 });
    const attached = landline.session("s");
    void attached.prompt("one").catch(() => {});
    await expect(attached.prompt("x".repeat(1_000))).rejects.toMatchObject({
      code: "message-too-large",
    });
    void landline
      .session("other")
      .prompt("two")
      .catch(() => {});
    await expect(attached.prompt("three")).rejects.toMatchObject({ code: "rate-limited" });
    expect(attached.getSnapshot().outgoing).toHaveLength(1);
  });

  it("continues in memory when storage is not available or full", async () => {
    for (const storage of [forbidden, Object.assign(new FakeStorage(), { room: 200 })]) {
      await using gateway = await FaultyGateway.listen();
      const session = gateway.open("s");
      gateway.refusal = busy;
      using landline = hurry({ url: gateway.url, storage });
      const attached = landline.session("s");
      const sent = [attached.prompt("x".repeat(500), "large"), attached.prompt("small", "small")];
      gateway.refusal = null;
      await Promise.all(sent);
      expect(session.prompts).toEqual(["large", "small"]);
    }
  });

  it("ignores invalid entries in the storage", async () => {
    await using gateway = await FaultyGateway.listen();
    const session = gateway.open("s");
    const key = `landline.outbox ${gateway.url}/`;
    const good = { sessionId: "s", promptId: "good", at: 1, wasSent: false };
    for (const rubbish of ["{", "7", JSON.stringify([null, { promptId: 1 }, good])]) {
      const storage = new FakeStorage();
      storage.setItem(key, rubbish);
      storage.setItem(`${key} s good`, "not json");
      using landline = hurry({ url: gateway.url, storage });
      await landline.session("s").prompt("fine", `after ${rubbish}`);
    }
    expect(session.prompts).toHaveLength(3);
  });
});
