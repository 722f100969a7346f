import { readFile } from "node:fs/promises";
import type { AgentSummary } from "@landline/protocol";
import { shippedScenario } from "@landline/testing";
import { afterEach, expect, test } from "vitest";
import { ScriptedGateway } from "./scripted-gateway.ts";
import { filesWith, SignInClient } from "./sign-in-client.ts";

const SECRET = "sk-secret-of-the-test";

let gateway: ScriptedGateway;
afterEach(() => gateway[Symbol.asyncDispose]());

const scenario = async () =>
  JSON.parse(await readFile(shippedScenario("sign-in"), "utf8")) as object;

async function call(method: string, path: string, body?: unknown, token = gateway.token) {
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : (JSON.parse(text) as unknown) };
}

async function listed(): Promise<AgentSummary | undefined> {
  const { body } = await call("GET", "/api/agents");
  return (body as { agents: AgentSummary[] }).agents.find(({ id }) => id === "guarded");
}

async function questionIsShown(): Promise<void> {
  const question = async () => (await listed())?.progress?.question;
  await expect.poll(question).toBeTruthy();
}

const form = { provider: "first", key: SECRET };

test("a form is shown and answered once, and the answer is not stored", async () => {
  gateway = await ScriptedGateway.open(
    { guarded: await scenario() },
    { listDelayMs: 1 },
    { logLevel: "silent" },
  );
  using desk = await SignInClient.open(gateway, "guarded");
  const reply = desk.signIn("key");
  const shown = await desk.shown(({ question }) => question !== undefined);
  expect(shown).toMatchObject({
    what: "sign-in",
    message: expect.stringContaining("what is your key?"),
    question: { mode: "form", requestedSchema: { required: ["provider", "key"] } },
  });
  const { questionId } = shown;
  const refused = (outcome: unknown, id = questionId) =>
    desk.answer(outcome, id).then((frame) => frame["error"]);
  const wrong = { action: "accept", content: { provider: "third", key: SECRET } };
  const complaint = await refused(wrong);
  expect(complaint).toMatchObject({ code: "invalid-params" });
  expect(JSON.stringify(complaint)).not.toContain(SECRET);
  expect(await refused({ action: "accept", content: { provider: "first" } })).toMatchObject({
    message: expect.stringContaining("“key” is required"),
  });
  expect(await refused({ outcome: "selected", optionId: "x" })).toMatchObject({
    code: "invalid-params",
  });
  expect(await refused({ action: "accept", content: form }, "another")).toMatchObject({
    code: "ask-not-found",
  });
  const answered = await desk.answer({ action: "accept", content: form }, questionId);
  expect(answered["result"]).toEqual({ agent: "guarded" });
  expect(await refused({ action: "accept", content: form })).toMatchObject({
    code: expect.stringMatching(/^ask-(already-settled|not-found)$/),
  });
  expect((await reply)["result"]).toMatchObject({ agent: expect.any(String) });
  expect(await listed()).toMatchObject({ signedIn: true, progress: null });
  expect(JSON.stringify(desk.client.frames)).not.toContain(SECRET);
  await gateway.stop();
  expect(await filesWith(gateway.data, SECRET)).toEqual([]);
});

test("a second answer fails with the name of the first client", async () => {
  const twice = (await scenario()) as { answers: { authenticate: { before: object[] }[] } };
  twice.answers.authenticate[0]!.before.push({ wait: 60_000 });
  gateway = await ScriptedGateway.open({ guarded: twice }, { listDelayMs: 1 });
  using desk = await SignInClient.open(gateway, "guarded");
  const reply = desk.signIn("key");
  await desk.shown(({ question }) => question !== undefined);
  await desk.answer({ action: "accept", content: form });
  await desk.shown(({ question }) => question === undefined);
  expect((await desk.answer({ action: "decline" }))["error"]).toMatchObject({
    code: "ask-already-settled",
    by: { client: expect.any(String) },
  });
  await desk.cancel();
  expect((await reply)["error"]).toMatchObject({ code: "request-cancelled" });
});

test("over HTTP a question is answered, and a sign-in cancelled", async () => {
  gateway = await ScriptedGateway.open({ guarded: await scenario() });
  const path = "/api/agents/guarded/sign-in";
  expect(await call("DELETE", path)).toMatchObject({
    status: 404,
    body: { code: "ask-not-found" },
  });
  const first = call("POST", path, { methodId: "key" });
  await questionIsShown();
  expect(await call("POST", `${path}/answer`, { outcome: { action: "accept" } })).toMatchObject({
    status: 422,
  });
  const answer = { outcome: { action: "accept", content: form } };
  expect(await call("POST", `${path}/answer`, answer)).toEqual({
    status: 200,
    body: { agent: "guarded" },
  });
  expect(await first).toMatchObject({ status: 200 });

  const second = call("POST", path, { methodId: "key" });
  await questionIsShown();
  expect(await call("DELETE", path)).toEqual({ status: 204, body: null });
  expect(await second).toMatchObject({ status: 499, body: { code: "request-cancelled" } });
  expect(await listed()).toMatchObject({ signedIn: true, progress: null });
});

test("a page URL stays visible after it is opened", async () => {
  const slow = (await scenario()) as { answers: { authenticate: { before: object[] }[] } };
  slow.answers.authenticate[1]!.before.push({ wait: 60_000 });
  gateway = await ScriptedGateway.open({ guarded: slow }, { listDelayMs: 1 });
  using desk = await SignInClient.open(gateway, "guarded");
  const reply = desk.signIn("page");
  const url = "https://example.invalid/login";
  const shown = await desk.shown((progress) => progress.question !== undefined);
  expect(shown).toMatchObject({ url, message: "Log in on this page, then come back" });
  const filled = { action: "accept", content: { a: "b" } };
  expect((await desk.answer(filled))["error"]).toMatchObject({ code: "invalid-params" });
  await desk.answer({ action: "accept" });
  expect(await desk.shown(({ question }) => question === undefined)).toMatchObject({ url });
  await desk.cancel();
  expect((await reply)["error"]).toMatchObject({ code: "request-cancelled" });
});

/** A request of the agent, which fails unless it is answered like this. */
function asks(params: object, expected: string, more: object = {}): object {
  const on = {
    [expected]: [],
    otherwise: [
      { stderr: `not ${expected}: ${JSON.stringify(params).slice(0, 100)}\n` },
      { crash: 4 },
    ],
  };
  return { request: { method: "elicitation/create", params, on, ...more } };
}

const plainForm = { mode: "form", message: "Key?", requestedSchema: { type: "object" } };
const initialize = { authMethods: [{ id: "key", name: "Key" }] };
const asking = (...before: object[]) => ({ initialize, answers: { authenticate: { before } } });

test("invalid questions are refused, and a completed page needs no answer", async () => {
  const url = "https://example.invalid/";
  const page = { mode: "url", message: "There", url, elicitationId: "e" };
  const guarded = asking(
    asks({ ...page, url: "javascript:alert(1)" }, "-32602"),
    asks({ ...plainForm, message: "x".repeat(70_000) }, "-32602"),
    asks({ ...plainForm, requestedSchema: nested(40) }, "-32602"),
    asks({ sessionId: "s", path: "/etc/hostname" }, "-32601", { method: "fs/read_text_file" }),
    asks(page, "accept", { wait: false }),
    asks({ ...page, elicitationId: "second" }, "error"),
    { notify: { method: "elicitation/complete", params: { elicitationId: "other" } } },
    { notify: { method: "elicitation/complete", params: { elicitationId: "e" } } },
    asks(plainForm, "decline"),
  );
  gateway = await ScriptedGateway.open({ guarded }, { listDelayMs: 1 });
  using desk = await SignInClient.open(gateway, "guarded");
  const reply = desk.signIn("key");
  const asked = desk.shown(({ question }) => question?.mode === "form");
  expect(await Promise.race([reply, asked])).toMatchObject({ what: "sign-in" });
  await desk.answer({ action: "decline" });
  expect((await reply)["result"]).toMatchObject({ agent: expect.any(String) });
});

function nested(levels: number): object {
  return levels === 0 ? {} : { inner: nested(levels - 1) };
}

test("an unanswered question is cancelled, and the question of a crashed agent is removed", async () => {
  const doomed = asking(asks(plainForm, "cancel", { wait: false }), { wait: 100 }, { crash: 3 });
  gateway = await ScriptedGateway.open(
    { guarded: asking(asks(plainForm, "cancel")), doomed },
    { listDelayMs: 1, signInQuestionMs: 300 },
  );
  using desk = await SignInClient.open(gateway, "guarded");
  expect((await desk.signIn("key"))["result"]).toMatchObject({ agent: expect.any(String) });
  using other = await SignInClient.open(gateway, "doomed");
  expect((await other.signIn("key"))["error"]).toMatchObject({
    message: expect.stringContaining('Signing in to doomed with "Key" failed'),
  });
  expect((await other.answer({ action: "accept" }))["error"]).toMatchObject({
    code: "ask-not-found",
  });
});

test("a session that signs in again asks no questions, because its log would contain the answers", async () => {
  gateway = await ScriptedGateway.open({ guarded: await scenario() }, { listDelayMs: 1 });
  using desk = await SignInClient.open(gateway, "guarded");
  const reply = desk.signIn("key");
  await desk.shown(({ question }) => question !== undefined);
  await desk.answer({ action: "accept", content: form });
  await reply;
  // The scripted agent forgets it with its process.
  await expect(gateway.openSession("guarded")).rejects.toMatchObject({ code: "auth-required" });
});
