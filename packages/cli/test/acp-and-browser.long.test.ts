import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { createLandline, type Session, type Store } from "@landline/client";
import type { SessionView } from "@landline/protocol";
import type { Persona } from "@landline/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { asks, cancels, count, leave, says, silent, startEditor } from "./acp-editor.ts";
import { Home } from "./landline.ts";

let home: Home;
beforeEach(async () => {
  home = await homeWithPort();
});
afterEach(async () => {
  const gateway = (await home.gatewayFile()) as { readonly pid: number } | null;
  if (gateway) process.kill(gateway.pid, "SIGTERM");
  await home[Symbol.asyncDispose]();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A home whose gateways have the same port, so that a page finds the next one. */
async function homeWithPort(): Promise<Home> {
  const made = await Home.make();
  const config = JSON.parse(await readFile(made.path("config.json"), "utf8")) as object;
  const port = await freePort();
  await writeFile(made.path("config.json"), JSON.stringify({ ...config, port }));
  return made;
}

function until<Snapshot>(store: Store<Snapshot>, isWanted: (snapshot: Snapshot) => boolean) {
  return new Promise<Snapshot>((resolve) => {
    const check = () => {
      if (!isWanted(store.getSnapshot())) return;
      stop();
      resolve(store.getSnapshot());
    };
    const stop = store.subscribe(check);
    check();
  });
}

const shows = async (browser: Session, fits: (view: SessionView) => boolean) => {
  const snapshot = await until(browser, ({ view, state }) =>
    Boolean(state === "live" && view && fits(view)),
  );
  return snapshot.view as SessionView;
};

const isIdle = ({ turn, openAsks }: SessionView) => turn.turnId === null && openAsks.length === 0;
const hasAsk = ({ openAsks }: SessionView) => openAsks.length > 0;

async function allow(browser: Session): Promise<void> {
  const { openAsks } = await shows(browser, hasAsk);
  await browser.answer(openAsks[0]?.askId ?? "", { outcome: "selected", optionId: "allow" });
}

/** Updates that describe the state of a session, and not its history. */
const stateKinds = new Set([
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "session_info_update",
  "usage_update",
]);

interface Params {
  readonly sessionId?: string;
  readonly prompt?: readonly object[];
  readonly update?: { readonly sessionUpdate: string };
}

/** The whole conversation as the editor has it: the updates that it received, and the prompts that it sent. */
function conversation({ wire }: Persona, sessionId: string): readonly object[] {
  return wire.messages.flatMap(({ from, message }): readonly object[] => {
    const { method, params = {} } = message as { method?: string; params?: Params };
    if (params.sessionId !== sessionId) return [];
    if (from === "client" && method === "session/prompt")
      return (params.prompt ?? []).map((content) => ({
        sessionUpdate: "user_message_chunk",
        content,
      }));
    return params.update && !stateKinds.has(params.update.sessionUpdate) ? [params.update] : [];
  });
}

const prompts = ({ items }: SessionView) =>
  items.flatMap((item) =>
    item.type === "prompt"
      ? [item.content.map((block) => (block.type === "text" ? block.text : "")).join("")]
      : [],
  );

it("an editor and a browser share a session, through the end of either and of the gateway", async () => {
  const { url, token, running: gateway } = await home.serve();
  await using closing = new AsyncDisposableStack();
  const browserOf = createLandline({ url, token });
  closing.defer(() => browserOf.close());
  const first = await startEditor(home, silent());
  const { sessionId } = await first.persona.open(home.folder);
  const browser = browserOf.session(sessionId);
  closing.defer(browser.subscribe(() => {}));

  // A prompt of the browser: the files are those of the editor, with its unsaved text.
  const notes = home.path("notes.txt");
  await writeFile(notes, "saved");
  first.persona.buffers.set(notes, "unsaved");
  await browser.prompt("edit");
  await shows(browser, ({ lastTurn }) => lastTurn?.stopReason === "end_turn");
  expect(first.persona.reads).toEqual([notes]);
  expect(first.persona.writes).toEqual([notes]);
  expect(first.persona.buffers.get(notes)).toBe("unsaved, edited");
  expect(first.persona.terminals.created).toMatchObject([{ command: "echo" }]);
  await first.persona.wire.until(says('"ran\\n"'));

  // A permission that is answered in the browser disappears in the editor.
  const answered = first.persona.prompt(sessionId, "ask");
  const { id: requestId } = await first.persona.wire.until(asks);
  await allow(browser);
  expect(await answered).toMatchObject({ stopReason: "end_turn" });
  expect(await first.persona.wire.until(cancels)).toMatchObject({ params: { requestId } });
  const answeredView = await shows(browser, isIdle);

  // The editor is killed in the middle of a turn. The turn goes on.
  first.persona.prompt(sessionId, "ask").catch(() => {});
  await shows(browser, hasAsk);
  first.running.child.kill("SIGKILL");
  await once(first.running.child, "close");
  await allow(browser);
  const alone = await shows(browser, isIdle);
  expect(alone.lastTurn).toMatchObject({ stopReason: "end_turn" });
  expect(alone.lastTurn?.turnId).not.toBe(answeredView.lastTurn?.turnId);

  // The next editor has the whole history.
  const second = await startEditor(home, silent());
  await second.persona.load(sessionId, home.folder);
  const interrupted = second.persona.prompt(sessionId, "ask").catch((error: unknown) => error);
  await second.persona.wire.until(asks);
  await shows(browser, hasAsk);

  // The gateway is killed. Both come back, with nothing lost or repeated.
  gateway.child.kill("SIGKILL");
  expect(await interrupted).toMatchObject({ data: { reason: "turn-interrupted" } });
  await second.persona.wire.until(cancels);
  await shows(browser, ({ lastTurn }) => lastTurn?.stopReason === "interrupted");
  await browser.prompt("hello");
  await second.persona.wire.until(says('"yourself."'));
  await shows(browser, ({ lastTurn }) => lastTurn?.stopReason === "end_turn");
  second.persona.buffers.set(notes, "unsaved again");
  await browser.prompt("edit");
  await shows(browser, (view) => prompts(view).length === 6 && isIdle(view));
  expect(second.persona.buffers.get(notes)).toBe("unsaved again, edited");
  const ran = says('"ran\\n"');
  await second.persona.wire.until(() => count(second.persona, ran) === 2);
  expect(await second.persona.prompt(sessionId, "limit")).toMatchObject({
    stopReason: "max_tokens",
  });
  const last = await shows(browser, ({ lastTurn }) => lastTurn?.stopReason === "max_tokens");
  expect(prompts(last)).toEqual(["edit", "ask", "ask", "ask", "hello", "edit", "limit"]);
  expect(count(second.persona, asks)).toBe(1);

  // A browser and an editor that come now see exactly what those two have seen.
  const laterOf = createLandline({ url, token });
  closing.defer(() => laterOf.close());
  const later = laterOf.session(sessionId);
  closing.defer(later.subscribe(() => {}));
  expect(last).toEqual(await shows(later, ({ head }) => head === last.head));
  const third = await startEditor(home, silent());
  await third.persona.load(sessionId, home.folder);
  const whole = conversation(third.persona, sessionId);
  expect(whole.filter((update) => JSON.stringify(update).includes('"ran\\n"'))).toHaveLength(2);
  expect(conversation(second.persona, sessionId)).toEqual(whole);
  await leave(second);
  await leave(third);
});
