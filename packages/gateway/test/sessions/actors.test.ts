import {
  limitsOf,
  type CommandName,
  type EventKind,
  type Input,
  type operations,
  type SessionEvent,
} from "@landline/protocol";
import { expect, test } from "vitest";
import { runOperation } from "../../src/server/operations/implementations.ts";
import type { Call } from "../../src/server/operations/operation.ts";
import type { Services } from "../../src/server/services.ts";
import type { Session } from "../../src/sessions/sessions.ts";
import { ScriptedGateway, text, Watcher } from "./scripted-gateway.ts";

const effort = {
  id: "effort",
  name: "Effort",
  type: "select",
  category: "thought_level",
  currentValue: "low",
  options: ["low", "high"].map((value) => ({ value, name: value })),
};
const modes = {
  currentModeId: "ask",
  availableModes: ["ask", "code"].map((id) => ({ id, name: id })),
};
const agent = {
  session: { modes, configOptions: [effort] },
  turns: [
    {
      match: "permission",
      steps: [{ permission: { toolCall: { toolCallId: "c", title: "rm" } } }],
    },
    { match: "/./", steps: [{ silence: "forever" }] },
  ],
};

/** Commands that change a session: those of one session that need the role `control`. */
type Name = {
  [Key in CommandName]: (typeof operations)[Key] extends { scope: "session"; role: "control" }
    ? Key
    : never;
}[CommandName];

interface Case<Key extends Name = Name> {
  /** The prompt that runs meanwhile. */
  readonly during?: "permission" | "silence";
  readonly input: (askId: string) => Omit<Input<Key>, "sessionId">;
  /** The events that it causes. */
  readonly kinds: readonly EventKind[];
}

const rejection = (askId: string) => ({
  askId,
  outcome: { outcome: "selected" as const, optionId: "reject" },
  note: "Use trash instead.",
});

/** Each in a session with the queued prompts `one` and `two` while a turn runs. */
const cases: { readonly [Key in Name]: Case<Key> } = {
  prompt: {
    input: () => ({ promptId: "three", content: "more" }),
    kinds: ["prompt-queued"],
  },
  "change-prompt": {
    during: "silence",
    input: () => ({ promptId: "one", content: "else" }),
    kinds: ["prompt-changed"],
  },
  "withdraw-prompt": {
    during: "silence",
    input: () => ({ promptId: "one" }),
    kinds: ["prompt-withdrawn"],
  },
  cancel: { during: "silence", input: () => ({}), kinds: ["turn-changed"] },
  answer: {
    during: "permission",
    input: rejection,
    kinds: ["ask-settled", "prompt-queued", "prompt-moved"],
  },
  "set-mode": {
    input: () => ({ modeId: "code" }),
    kinds: ["options-changed"],
  },
  "set-config": {
    input: () => ({ configId: "effort", value: "high" }),
    kinds: ["options-changed"],
  },
  rename: { input: () => ({ title: "New" }), kinds: ["session-changed"] },
  close: { during: "silence", input: () => ({}), kinds: ["turn-changed", "session-closed"] },
};

async function prepare(session: Session, watcher: Watcher, during: string): Promise<string> {
  await session.prompt("running", text(during), "first");
  const askId =
    during === "permission"
      ? (await watcher.until("ask-opened")).askId
      : (await watcher.until("turn-started")).turnId;
  for (const promptId of ["one", "two"]) await session.prompt(promptId, text("go"), "first");
  return askId;
}

function actor(event: SessionEvent): unknown {
  const { by } = event as { by?: unknown };
  return typeof by === "object" && by !== null && "client" in by ? by.client : by;
}

const move: Case<"change-prompt"> = {
  during: "silence",
  input: () => ({ promptId: "one", before: null }),
  kinds: ["prompt-moved"],
};

test.each<[string, Case]>([...(Object.entries(cases) as [Name, Case][]), ["change-prompt", move]])(
  "events that %s causes name the person",
  async (name, { during, input, kinds }) => {
    await using gateway = await ScriptedGateway.open({ agent });
    const session = await gateway.openSession("agent");
    using watcher = new Watcher(session);
    const askId = during === undefined ? "" : await prepare(session, watcher, during);
    const before = session.log.visible;
    const call: Call = {
      principal: { clientId: "second", tokenId: "second", role: "control" },
      services: { limits: limitsOf("default") } as Services,
      findSession: async () => session,
    };
    await runOperation(name as Name, { sessionId: session.id, ...input(askId) }, call);
    for (const kind of kinds) await watcher.until(kind, (event) => event.seq > before);
    const caused = watcher.events.filter(({ seq, kind }) => seq > before && kinds.includes(kind));
    expect(caused.map(actor)).toEqual(kinds.map(() => "second"));
  },
);

test("so do those of opening a session with options, forking and deleting it", async () => {
  await using gateway = await ScriptedGateway.open({ agent });
  const { sessions } = gateway;
  const config = [{ configId: "effort", value: "high" }];
  const session = await sessions.open({
    agent: "agent",
    cwd: gateway.project,
    config,
    by: "second",
  });
  using watcher = new Watcher(session);
  expect(await watcher.until("session-opened")).toMatchObject({ by: "second" });
  const chosen = await watcher.until("options-changed", ({ by }) => by !== undefined);
  expect(chosen).toMatchObject({ by: "second", configOptions: [{ currentValue: "high" }] });

  const fork = await session.fork("third");
  using forked = new Watcher(fork);
  expect(await forked.until("session-opened")).toMatchObject({ by: "third" });

  const changes: unknown[] = [];
  using _watch = sessions.watch((change) => changes.push(change));
  await sessions.delete(session.id, "fourth");
  expect(changes.at(-1)).toEqual({ sessionId: session.id, deleted: true, by: "fourth" });
});
