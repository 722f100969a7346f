import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import type { Browser } from "playwright-core";
import { TestGateway, type GatewayOptions } from "./gateway.ts";
import { launchBrowser, Stage } from "./stage.ts";

/** One browser per test file and one stage per test. Any complaint of a page fails the test. */
export function useStage(flags: readonly string[] = []): () => Stage {
  let browser: Browser | null = null;
  let stage: Stage | null = null;
  beforeAll(async () => {
    browser = await launchBrowser(flags);
  });
  afterAll(() => browser?.close());
  beforeEach(() => {
    if (browser) stage = new Stage(browser);
  });
  afterEach(async () => {
    await using _ended = stage;
    expect(stage?.complaints).toEqual([]);
  });
  return () => {
    if (!stage) throw new Error("There is a stage in tests alone.");
    return stage;
  };
}

/** One gateway per test file, for tests that leave only sessions of their own. */
export function useGateway(wanted: GatewayOptions): () => TestGateway {
  let gateway: TestGateway | null = null;
  beforeAll(async () => {
    gateway = await TestGateway.start(wanted);
  });
  afterAll(() => gateway?.[Symbol.asyncDispose]());
  return () => {
    if (!gateway) throw new Error("There is a gateway in tests alone.");
    return gateway;
  };
}

/** Polls until it is as expected. */
export function comes<Value>(read: () => Promise<Value>) {
  return expect.poll(read);
}
