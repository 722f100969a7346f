import { describe, expect, it } from "vitest";
import { eventually, hurry, until } from "./short-timing.ts";
import { FaultyGateway } from "./faulty-gateway.ts";

const asked = (gateway: FaultyGateway) =>
  gateway.requests.filter((request) => request === "GET /api/me").length;

describe("the current user", () => {
  it("is requested once per connection, and names are updated live", async () => {
    await using gateway = await FaultyGateway.listen();
    using landline = hurry({ url: gateway.url });
    expect(landline.me.getSnapshot()).toBeNull();
    const first = await until(landline.me, (me) => me !== null);
    expect(first).toEqual({
      clientId: "me",
      role: "control",
      people: { me: "Laptop" },
      rulesDamage: null,
    });
    gateway.tellAll({ type: "people", people: { me: "Laptop", "phone-1": "Phone" } });
    const next = await until(landline.me, (me) => me?.people["phone-1"] === "Phone");
    expect(next).toEqual({ ...first, people: { me: "Laptop", "phone-1": "Phone" } });
    // The same value again is not a change.
    let changes = 0;
    landline.me.subscribe(() => (changes += 1));
    gateway.tellAll({ type: "people", people: { me: "Laptop", "phone-1": "Phone" } });
    gateway.tellAll({ type: "people", people: { me: "Desk" } });
    await until(landline.me, (me) => me?.people["me"] === "Desk");
    expect(changes).toBe(1);
    expect(asked(gateway)).toBe(1);
  });

  it("stays during a disconnect, and is requested again after it", async () => {
    await using gateway = await FaultyGateway.listen();
    using landline = hurry({ url: gateway.url });
    const known = await until(landline.me, (me) => me !== null);
    gateway.people = { me: "Laptop", tv: "TV" };
    gateway.hangUp();
    await until(landline.connection, ({ state }) => state !== "online");
    expect(landline.me.getSnapshot()).toBe(known);
    await until(landline.me, (me) => me?.people["tv"] === "TV");
  });

  it("is the last pushed state, whenever the answer arrives", async () => {
    await using gateway = await FaultyGateway.listen();
    const answered = Promise.withResolvers<void>();
    gateway.beforeMe = answered.promise;
    using landline = hurry({ url: gateway.url });
    landline.me.subscribe(() => {});
    await eventually(() => asked(gateway) === 1);
    gateway.tellAll({ type: "people", people: { me: "Laptop", tv: "TV" } });
    // Frames arrive in order.
    gateway.tellAll({ type: "agents", agents: [{ id: "last" }] });
    await until(landline.agents, (agents) => agents?.[0]?.id === "last");
    answered.resolve();
    const me = await until(landline.me, (heard) => heard !== null);
    expect(me?.people).toEqual({ me: "Laptop", tv: "TV" });
  });

  it("is polled when the gateway does not push it", async () => {
    await using gateway = await FaultyGateway.listen();
    using landline = hurry({ url: gateway.url, transport: "sse" });
    await until(landline.me, (me) => me !== null);
    gateway.people = { me: "Laptop", tv: "TV" };
    await until(landline.me, (me) => me?.people["tv"] === "TV");
    expect(asked(gateway)).toBeGreaterThan(1);
  });

  it("is not requested without listeners, nor are the lists", async () => {
    await using gateway = await FaultyGateway.listen();
    const timesOf = (name: string) => () =>
      gateway.requests.filter((request) => request === `GET /api/${name}`).length;
    const [me, agents, sessions] = [timesOf("me"), timesOf("agents"), timesOf("sessions")];
    using landline = hurry({ url: gateway.url, transport: "sse" });
    const stop = landline.me.subscribe(() => {});
    await eventually(() => me() >= 3);
    expect([agents(), sessions()]).toEqual([0, 0]);
    stop();
    const before = me();
    landline.agents.subscribe(() => {});
    await eventually(() => agents() >= 4);
    expect(me()).toBeLessThanOrEqual(before + 1);
    expect(sessions()).toBe(0);
    landline.me.subscribe(() => {});
    await eventually(() => me() > before + 1);
  });

  it("says that the rules file was damaged, until that is acknowledged", async () => {
    await using gateway = await FaultyGateway.listen();
    using landline = hurry({ url: gateway.url });
    await until(landline.me, (me) => me !== null);
    const damage = { movedTo: "/data/rules.json.damaged", reason: "it is not JSON", at: 5 };
    gateway.tellAll({ type: "rules-damage", damage });
    const me = await until(landline.me, (heard) => heard?.rulesDamage !== null);
    expect(me).toMatchObject({ people: { me: "Laptop" }, rulesDamage: damage });
    gateway.tellAll({ type: "rules-damage", damage: null });
    await until(landline.me, (heard) => heard?.rulesDamage === null);
  });
});
