import { readdir, readFile, truncate } from "node:fs/promises";
import * as path from "node:path";
import type { SessionView } from "@landline/protocol";
import type { Page } from "playwright-core";
import { agentSessions } from "./agent-sessions-scene.ts";
import { executions } from "./executions-scene.ts";
import { isIdle, scenario, type TestGateway } from "./gateway.ts";
import { startWith } from "./page-actions.ts";
import { newConversation } from "./new-conversation-scene.ts";
import type { PageOptions, Stage } from "./stage.ts";

/** A state of the page, ready to be inspected. */
export interface Scene {
  readonly gateway: TestGateway;
  readonly hash: string;
  /** Performs the steps that lead to the state; resolves when it is visible. */
  readonly show: (page: Page, size: NonNullable<PageOptions["size"]>) => Promise<void>;
  /** The steps that show it after the page has become narrow. */
  readonly narrow?: (page: Page) => Promise<void>;
  readonly isCutOff?: boolean;
  /** Called between two pages of the scene. */
  readonly leave?: () => void;
}

export interface State {
  readonly name: string;
  readonly set: (stage: Stage) => Promise<Scene>;
}

const work = { agents: { scripted: scenario("work") } };
const isAsking = ({ openAsks }: SessionView) => openAsks.length > 0;
const seen = (text: string | RegExp) => (page: Page) =>
  page.getByText(text).filter({ visible: true }).first().waitFor();

/** A session with some prompts; waits for a condition after the last one. */
async function prompted(
  stage: Stage,
  prompts: readonly string[],
  isSo: (view: SessionView) => boolean,
): Promise<{ gateway: TestGateway; sessionId: string }> {
  const gateway = await stage.gateway({ ...work, limits: { turnIdleMs: 600_000 } });
  const sessionId = await gateway.open();
  for (const prompt of prompts.slice(0, -1)) await gateway.promptUntil(sessionId, prompt);
  await gateway.promptUntil(sessionId, prompts.at(-1) ?? "", isSo);
  return { gateway, sessionId };
}

function conversation(
  name: string,
  prompts: readonly string[],
  isSo: (view: SessionView) => boolean,
  show: Scene["show"],
): State {
  return {
    name,
    set: async (stage) => {
      const { gateway, sessionId } = await prompted(stage, prompts, isSo);
      return { gateway, hash: `#/s/${sessionId}`, show };
    },
  };
}

const hasItem = (type: string) => (view: SessionView) =>
  view.items.some((item) => item.type === type);
const says = (text: string) => (view: SessionView) => JSON.stringify(view).includes(text);

const first = "Why can the login be guessed?";

const firstRun: State = {
  name: "first-run",
  set: async (stage) => ({
    gateway: await stage.gateway(work),
    hash: "#/",
    show: async (page) => page.getByRole("heading", { level: 1 }).first().waitFor(),
  }),
};

const noAgent: State = {
  name: "no-agent-found",
  set: async (stage) => ({
    gateway: await stage.gateway({
      program: [
        "--conditions=@landline/source",
        path.join(import.meta.dirname, "bare-gateway.mjs"),
      ],
    }),
    hash: "#/",
    show: seen(/no agent/i),
  }),
};

const starting: State = {
  name: "agent-starting",
  set: async (stage) => ({
    gateway: await stage.gateway({ agents: { scripted: scenario("slow-start") } }),
    hash: "#/",
    show: async (page) => {
      await startWith(page, "Scripted", first);
      await seen(/Starting Scripted/)(page);
    },
  }),
};

const answeredElsewhere: State = {
  name: "ask-answered-elsewhere",
  set: async (stage) => {
    const { gateway, sessionId } = await prompted(stage, ["Run the command"], isAsking);
    const anna = await gateway.device("Anna", "control");
    return {
      gateway,
      hash: `#/s/${sessionId}`,
      show: async (page) => {
        if (!isAsking(await gateway.view(sessionId)))
          await gateway.promptUntil(sessionId, "Run the command", isAsking);
        const [ask] = (await gateway.view(sessionId)).openAsks;
        await page.getByRole("button", { name: /allow once/i }).waitFor();
        const address = `/api/sessions/${sessionId}/asks/${ask?.askId ?? ""}`;
        await gateway.call("POST", address, { optionId: "once" }, anna.token);
        await seen("Anna allowed it.")(page);
      },
    };
  },
};

const queueOfThree: State = {
  name: "queue-of-three",
  set: async (stage) => {
    const { gateway, sessionId } = await prompted(stage, ["Please wait"], says("I wait for you."));
    for (const text of ["Then run the tests", "Write the change log", "And open a pull request"])
      await gateway.prompt(sessionId, text);
    return { gateway, hash: `#/s/${sessionId}`, show: seen("And open a pull request") };
  },
};

const stalled: State = {
  name: "stalled",
  set: async (stage) => {
    const gateway = await stage.gateway({ ...work, limits: { turnIdleMs: 300 } });
    const sessionId = await gateway.open();
    await gateway.promptUntil(sessionId, "Please wait", ({ turn }) => turn.state === "stalled");
    return { gateway, hash: `#/s/${sessionId}`, show: seen(/stalled|not sent anything/i) };
  },
};

const offline: State = {
  name: "offline",
  set: async (stage) => {
    const { gateway, sessionId } = await prompted(stage, [first], isIdle);
    return {
      gateway,
      hash: `#/s/${sessionId}`,
      isCutOff: true,
      show: async (page) => {
        await seen(/Three things are wrong/)(page);
        gateway.cutLine();
        await seen(/offline/i)(page);
      },
      // The next page needs the connection.
      leave: () => gateway.mendLine(),
    };
  },
};

/** The log lost its end, as after a restored backup: the page knows more than the gateway. */
const gap: State = {
  name: "gap",
  set: async (stage) => {
    const { gateway, sessionId } = await prompted(stage, [first, "Repair it"], isIdle);
    let isCut = false;
    return {
      gateway,
      hash: `#/s/${sessionId}`,
      isCutOff: true,
      show: async (page) => {
        if (!isCut) await seen("All 14 tests pass.")(page);
        if (!isCut) await loseEnd(gateway, sessionId);
        isCut = true;
        await page.getByText("Repair it").waitFor({ state: "detached" });
        await seen(/Three things are wrong/)(page);
      },
    };
  },
};

async function loseEnd(gateway: TestGateway, sessionId: string): Promise<void> {
  await gateway.end("SIGKILL");
  const folder = path.join(gateway.data, "sessions", sessionId);
  const segment = (await readdir(folder)).find((name) => /^\d+\.ndjson$/.test(name)) ?? "";
  const file = path.join(folder, segment);
  const text = await readFile(file, "utf8");
  const cut = text.indexOf("\n", text.indexOf('"kind":"turn-ended"')) + 1;
  await truncate(file, Buffer.byteLength(text.slice(0, cut)));
  await gateway.start();
}

const restored: State = {
  name: "restored",
  set: async (stage) => {
    const { gateway, sessionId } = await prompted(stage, [first, "Please wait"], says("I wait"));
    await gateway.end("SIGKILL");
    await gateway.start();
    await gateway.promptUntil(sessionId, "Go on");
    return { gateway, hash: `#/s/${sessionId}`, show: seen(/You said: Go on/) };
  },
};

const veryLong: State = {
  name: "very-long",
  set: async (stage) => {
    const gateway = await stage.gateway({ agents: { scripted: scenario("many") } });
    const sessionId = await gateway.open();
    await gateway.promptUntil(sessionId, "build it", says("The long session is over."));
    return { gateway, hash: `#/s/${sessionId}`, show: seen("The long session is over.") };
  },
};

async function showSessions(page: Page, size: NonNullable<PageOptions["size"]>): Promise<void> {
  if (size === "phone") await page.getByRole("button", { name: /show conversations/i }).click();
}

const search: State = {
  name: "search-results",
  set: async (stage) => {
    const { gateway } = await prompted(stage, [first, "Repair it"], isIdle);
    const other = await gateway.open();
    await gateway.promptUntil(other, "What is a constant time comparison?");
    return {
      gateway,
      hash: "#/",
      show: async (page, size) => {
        await showSessions(page, size);
        await page.getByRole("searchbox").filter({ visible: true }).first().fill("comparison");
        await seen(/takes the same time now/)(page);
      },
      narrow: (page) => showSessions(page, "phone"),
    };
  },
};

const rules: State = {
  name: "rules",
  set: async (stage) => {
    const gateway = await stage.gateway(work);
    const folder = gateway.project;
    for (const rule of [
      { decision: "allow", what: { commandPrefix: "npm test" }, where: { in: "project", folder } },
      { decision: "allow", what: { pathGlob: "src/**" }, where: { in: "project", folder } },
      { decision: "deny", what: { commandPrefix: "git push" }, where: { in: "everywhere" } },
    ])
      await gateway.call("POST", "/api/rules", rule);
    return { gateway, hash: "#/settings/rules", show: seen(/npm test/) };
  },
};

const devices: State = {
  name: "devices",
  set: async (stage) => {
    const gateway = await stage.gateway(work);
    await gateway.device("Phone", "control");
    await gateway.device("Screen in the hall", "watch");
    return { gateway, hash: "#/settings/devices", show: seen("Screen in the hall") };
  },
};

const agents: State = {
  name: "agents",
  set: async (stage) => ({
    gateway: await stage.gateway(work),
    hash: "#/settings/agents",
    show: seen(/were found/),
  }),
};

/** A question during sign-in. */
const signInForm: State = {
  name: "sign-in-form",
  set: async (stage) => ({
    gateway: await stage.gateway({}),
    hash: "#/settings/agents",
    show: async (page) => {
      await page.getByRole("button", { name: "Sign in to Landline" }).click();
      const method = page.getByRole("button", { name: /^API key/ });
      const form = page.getByLabel("Provider");
      // A sign-in continues when a page is closed: the next page shows it.
      await method.or(form).waitFor();
      if (await method.isVisible()) await method.click();
      await form.waitFor();
    },
  }),
};

const preferences: State = {
  name: "preferences",
  set: async (stage) => ({
    gateway: await stage.gateway(work),
    hash: "#/settings/preferences",
    show: seen(/theme/i),
  }),
};

const protocol: State = {
  name: "protocol-view",
  set: async (stage) => {
    const gateway = await stage.gateway({ ...work, args: ["--trace"] });
    const sessionId = await gateway.open();
    await gateway.promptUntil(sessionId, first);
    return { gateway, hash: `#/s/${sessionId}/protocol`, show: seen(/turn-ended/) };
  },
};

const signIn: State = {
  name: "signing-in",
  set: async (stage) => ({
    gateway: await stage.gateway({ agents: { scripted: scenario("sign-in") } }),
    hash: "#/",
    show: async (page) => {
      await startWith(page, "Scripted", first);
      const dialog = page.getByRole("dialog", { name: "Sign in to Scripted" });
      const method = dialog.getByRole("button", { name: /terminal/ });
      const prompt = dialog.getByText(/Code:/);
      // Another page may have started it.
      await method.or(prompt).first().waitFor();
      if (await method.isVisible()) await method.click();
      await prompt.first().waitFor();
    },
  }),
};

const signInMethods: State = {
  name: "sign-in-methods",
  set: async (stage) => ({
    gateway: await stage.gateway({ agents: { scripted: scenario("sign-in") } }),
    hash: "#/",
    show: async (page) => {
      await startWith(page, "Scripted", first);
      await seen("Sign in with your account")(page);
    },
  }),
};

const sessionList: State = {
  name: "session-list",
  set: async (stage) => {
    const gateway = await stage.gateway(work);
    for (const text of ["Please wait", first, "Run the command", "Why does it crash?"]) {
      const sessionId = await gateway.open();
      await gateway.promptUntil(sessionId, text, (view) => view.items.length > 1);
    }
    return {
      gateway,
      hash: "#/",
      show: async (page, size) => {
        await showSessions(page, size);
        await seen("Secrets are compared too fast")(page);
      },
      narrow: (page) => showSessions(page, "phone"),
    };
  },
};

/** All states of the page, in the order in which a person might meet them. */
export const states: readonly State[] = [
  firstRun,
  noAgent,
  newConversation,
  agentSessions,
  starting,
  signInMethods,
  signIn,
  conversation("idle-with-history", [first, "Repair it"], isIdle, seen(/All 14 tests pass\.$/)),
  conversation(
    "streaming",
    ["Explain it, and stream as you go"],
    says("the name of"),
    seen(/And one more thing/),
  ),
  conversation(
    "thinking",
    ["Think about the tokens too"],
    says("of the same kind"),
    seen(/thinking/i),
  ),
  conversation(
    "tool-running",
    ["Run all the tests, and let me watch"],
    says("part-40"),
    seen(/part-40/),
  ),
  conversation("diff-to-approve", ["Change the comparison"], isAsking, seen(/timingSafeEqual/)),
  conversation("command-to-approve", ["Run the command"], isAsking, seen(/npm test -- src/)),
  conversation(
    "two-asks",
    ["Do two things at once"],
    ({ openAsks }) => openAsks.length > 1,
    seen(/npm test -- src/),
  ),
  answeredElsewhere,
  executions,
  conversation(
    "question-form",
    ["Which form should the limit have?"],
    isAsking,
    seen("Tries in a minute"),
  ),
  conversation(
    "plan-in-progress",
    ["Make a plan, and begin"],
    says("timing.test.ts"),
    seen(/3 of 5|Add a test/),
  ),
  conversation(
    "subagents",
    ["Let subagents look at it"],
    ({ subagents }) => subagents.length > 1 && subagents[0]?.state === "completed",
    seen(/Find every comparison/),
  ),
  queueOfThree,
  stalled,
  conversation(
    "agent-crashed",
    [first, "Why does it crash?"],
    hasItem("agent-exited"),
    seen(/heap/),
  ),
  conversation("turn-failed", ["Look up why it may fail"], isIdle, seen(/overloaded/)),
  conversation("media", ["Show me the media"], isIdle, seen("That was all.")),
  offline,
  gap,
  restored,
  veryLong,
  search,
  rules,
  devices,
  agents,
  signInForm,
  preferences,
  protocol,
  sessionList,
];
