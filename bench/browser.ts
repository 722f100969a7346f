import { writeFile } from "node:fs/promises";
import * as path from "node:path";
import type { CDPSession, Page } from "playwright-core";
import { isIdle, scenario, type TestGateway } from "../packages/web/test/gateway.ts";
import { firstLoad } from "../packages/web/test/first-load.ts";
import { launchBrowser, Stage } from "../packages/web/test/stage.ts";
import { folders, serveFlags } from "../scripts/bundle.cjs";
import { untilQuiet } from "./child-process.ts";
import { extraOf, figureOf, type Figure, type Suite } from "./figure.ts";

const CHUNKS = 400;
const WATCH_MS = 2_500;
const CALM_ROUNDS = 15;
const END = "The long session is over.";

/** The page from the bundle, in a separate browser. */
async function onStage<Result>(
  use: (stage: Stage, gateway: TestGateway) => Promise<Result>,
): Promise<Result> {
  const [bundle] = folders();
  if (bundle === undefined) throw new Error("There is no bundle. Run: npm run build");
  await using browser = await launchBrowser();
  await using stage = new Stage(browser);
  const gateway = await stage.gateway({
    agents: { scripted: scenario("many") },
    program: [...serveFlags, path.join(bundle, "landline.js")],
  });
  // Awaited here, because its resources are disposed with this function.
  return await use(stage, gateway);
}

/** Seconds for which the page's main thread was busy, without our own queries. */
async function busySeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  const seconds = (wanted: string) =>
    metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  return seconds("TaskDuration") - seconds("DevToolsCommandDuration");
}

/** The cost of 400 chunks at 200 per second, after `before` chunks of the same message. */
async function streaming(before: number): Promise<Figure> {
  return onStage(async (stage, gateway) => {
    const sessionId = await gateway.open();
    const page = await stage.page(gateway, { hash: `#/s/${sessionId}` });
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    await gateway.promptUntil(sessionId, `after ${before}`, ({ head }) => head >= before + 6);
    await shows(page, "timingSafeEqual");
    await untilIdle(session);
    const busy = await busySeconds(session);
    const startedAt = performance.now();
    await page.evaluate(watchLongTasks);
    await writeFile(path.join(gateway.project, "go"), "");
    await untilEnded(gateway, sessionId);
    const wallMs = performance.now() - startedAt;
    const cpuPerEvent = (((await busySeconds(session)) - busy) * 1e6) / CHUNKS;
    const longTasksMs = await page.evaluate<number>("window.longTasksMs");
    await shows(page, "The last word.");
    return { cpuPerEvent, wallMs, events: CHUNKS, gaps: stage.complaints.length, longTasksMs };
  });
}

/** Uses the log, because querying the page would make it search its whole content. */
async function untilEnded(gateway: TestGateway, sessionId: string): Promise<void> {
  for (let isOver = false; !isOver;) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const lines = await gateway.logLines(sessionId);
    isOver = lines.at(-1)?.includes('"kind":"turn-ended"') ?? false;
  }
}

/** The same time with a blank page: the load of the machine itself. */
async function blank(): Promise<Figure> {
  return onStage(async (stage, gateway) => {
    const page = await stage.page(gateway);
    await page.goto("about:blank");
    await page.evaluate(watchLongTasks);
    await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
    const longTasksMs = await page.evaluate<number>("window.longTasksMs");
    return { cpuPerEvent: 0, wallMs: WATCH_MS, events: 0, gaps: 0, longTasksMs };
  });
}

/** From opening the URL of a session until its end is visible. */
async function opening(prompt: string): Promise<Figure> {
  return onStage(async (stage, gateway) => {
    const sessionId = await gateway.open();
    const { head } = await gateway.promptUntil(sessionId, prompt, isIdle);
    // The index is updated after the turn.
    await untilQuiet(gateway.pid);
    const page = await stage.page(gateway, { hash: `#/s/${sessionId}` });
    await shows(page, END);
    const openMs = await page.evaluate<number>("performance.now()");
    const gaps = stage.complaints.length;
    return { cpuPerEvent: (openMs * 1e3) / head, wallMs: openMs, events: head, gaps, openMs };
  });
}

/** From opening the URL until the field accepts text, with empty caches. */
async function firstVisit(): Promise<Figure> {
  return onStage(async (stage, gateway) => {
    const page = await stage.page(gateway, { hash: "#/" });
    await page.getByRole("textbox").first().fill("hello");
    const openMs = await page.evaluate<number>("performance.now()");
    const firstLoadKb = (await firstLoad()).bytes / 1_000;
    const gaps = stage.complaints.length;
    return { cpuPerEvent: 0, wallMs: openMs, events: 0, gaps, openMs, firstLoadKb };
  });
}

const watchLongTasks = `window.longTasksMs = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longTasksMs += duration;
}).observe({ entryTypes: ["longtask"] });`;

async function shows(page: Page, text: string): Promise<void> {
  await page.getByText(text).last().waitFor({ timeout: 60_000 });
}

/** Waits until the page is idle: it parses long texts in steps with pauses. */
async function untilIdle(session: CDPSession): Promise<void> {
  let before = await busySeconds(session);
  for (let calm = 0, round = 0; calm < CALM_ROUNDS && round < 300; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = await busySeconds(session);
    calm = now - before < 0.01 ? calm + 1 : 0;
    before = now;
  }
}

const few = "chunks 10 to 410";
const many = "chunks 10,000 to 10,400";

export const browser: Suite = {
  name: "browser",
  about: "the chat in Chromium: streaming 200 chunks a second, opening sessions, the first visit",
  rounds: 3,
  variants: {
    [few]: () => streaming(10),
    [many]: () => streaming(10_000),
    "a blank page": blank,
    "opens 100 events": () => opening("short"),
    "opens 100,000 events": () => opening("build"),
    "first visit": firstVisit,
  },
  claims: [
    {
      text: "a chunk behind 10,000 others ÷ one behind 10, time of the page's main thread",
      value: (medians) => figureOf(medians, many).cpuPerEvent / figureOf(medians, few).cpuPerEvent,
      atMost: 1.5,
    },
    {
      text: "long tasks while 200 chunks a second stream, beyond those of a blank page, in ms",
      value: (medians) =>
        Math.max(
          0,
          extraOf(medians, "longTasksMs", many) - extraOf(medians, "longTasksMs", "a blank page"),
        ),
      atMost: 0,
    },
    {
      text: "a session of 100,000 events ÷ one of 100, time to its end on the screen",
      value: (medians) =>
        extraOf(medians, "openMs", "opens 100,000 events") /
        extraOf(medians, "openMs", "opens 100 events"),
      atMost: 2,
    },
    {
      text: "the first load, in kB of gzip",
      value: (medians) => extraOf(medians, "firstLoadKb", "first visit"),
      atMost: 300,
    },
    {
      text: "the first visit, in ms until a prompt can be typed",
      value: (medians) => extraOf(medians, "openMs", "first visit"),
    },
  ],
};
