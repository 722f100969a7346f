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

/** What was said, in order, as the browser shows it. */
function saidInView({ items }: SessionView): string {
  return items
    .map((item) => {
      if (item.type !== "message" && item.type !== "prompt") return "";
      const words = item.content.map((block) => (block.type === "text" ? block.text : "")).join("");
      return item.type === "prompt" ? `\n> ${words}\n` : words;
    })
    .join("");
}

/** The same, as the editor received it. Its own prompts are those that it sent. */
function saidToEditor({ wire }: Persona, sessionId: string): string {
  return wire.messages
    .map(({ from, message }) => {
      const { method, params } = message as {
        readonly method?: string;
        readonly params?: {
          readonly sessionId?: string;
          readonly prompt?: readonly { readonly text: string }[];
          readonly update?: {
            readonly sessionUpdate: string;
            readonly content?: { readonly text?: string };
          };
        };
      };
      if (params?.sessionId !== sessionId) return "";
      if (from === "client" && method === "session/prompt")
        return `\n> ${params.prompt?.[0]?.text ?? ""}\n`;
      const text = params.update?.content?.text ?? "";
      if (params.update?.sessionUpdate === "user_message_chunk") return `\n> ${text}\n`;
      return params.update?.sessionUpdate === "agent_message_chunk" ? text : "";
    })
    .join("");
}

it("an editor and a browser share a session, through the end of either and of the gateway", async () => {
  const { url, token, running: gateway } = await home.serve();
  const browserOf = createLandline({ url, token });
  const first = await startEditor(home, silent());
  const { sessionId } = await first.persona.open(home.folder);
  const browser = browserOf.session(sessionId);
  using _browser = new DisposableStack();
  _browser.defer(() => browserOf.close());
  _browser.defer(browser.subscribe(() => {}));

  // A permission that is answered in the browser disappears in the editor.
  const answered = first.persona.prompt(sessionId, "ask");
  await first.persona.wire.until(asks);
  await allow(browser);
  expect(await answered).toMatchObject({ stopReason: "end_turn" });
  await first.persona.wire.until(cancels);
  await shows(browser, isIdle);

  // The editor is killed in the middle of a turn. The turn goes on.
  first.persona.prompt(sessionId, "ask").catch(() => {});
  await shows(browser, hasAsk);
  first.running.child.kill("SIGKILL");
  await once(first.running.child, "close");
  await allow(browser);
  await shows(browser, isIdle);

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
  const view = await shows(browser, ({ lastTurn }) => lastTurn?.stopReason === "end_turn");
  expect(await second.persona.prompt(sessionId, "limit")).toMatchObject({
    stopReason: "max_tokens",
  });
  const last = await shows(browser, ({ lastTurn }) => lastTurn?.stopReason === "max_tokens");
  expect(view.head).toBeLessThan(last.head);
  const said = saidInView(last);
  expect(said.match(/> \w+/g)).toEqual(["> ask", "> ask", "> ask", "> hello", "> limit"]);
  expect(said).toContain("> hello\nHello yourself.\n> limit\nHalf of");
  expect(saidToEditor(second.persona, sessionId)).toBe(said);
  expect(count(second.persona, asks)).toBe(1);
  await leave(second);
});
