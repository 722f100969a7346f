import type { Browser, BrowserContext, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { page as pageBuilds } from "../../../scripts/bundle.cjs";
import { findChromium } from "./chromium.ts";
import { TestGateway, type GatewayOptions } from "./gateway.ts";

export interface PageOptions {
  readonly size?: keyof typeof sizes;
  readonly theme?: "light" | "dark";
  /** The path below which the gateway serves everything, such as `/line`. */
  readonly basePath?: string;
  /** The hash of the URL, such as `#/s/ID`. */
  readonly hash?: string;
  readonly token?: string;
  /** Connection errors on the console are expected. */
  readonly isCutOff?: boolean;
}

export const sizes = {
  wide: { width: 1440, height: 900 },
  medium: { width: 1000, height: 800 },
  phone: { width: 390, height: 844 },
} as const;

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Only with a current build: an old one proves nothing. */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  if (!pageBuilds.useFresh()) {
    throw new Error("The page was not built of the sources as they are. Run: npm run build");
  }
  return chromium.launch({
    executablePath: findChromium(),
    headless: true,
    args: [...flags, ...more],
  });
}

/**
 * The gateways and pages of one test or screenshot. Collects complaints: console errors, uncaught errors, policy
 * violations, and requests to other origins.
 */
export class Stage implements AsyncDisposable {
  readonly complaints: string[] = [];
  readonly #browser: Browser;
  readonly #gateways: TestGateway[] = [];
  readonly #contexts: BrowserContext[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async gateway(wanted: GatewayOptions): Promise<TestGateway> {
    const gateway = await TestGateway.start(wanted);
    this.#gateways.push(gateway);
    return gateway;
  }

  /** In its own browser context. */
  async page(gateway: TestGateway, wanted: PageOptions = {}): Promise<Page> {
    const { size = "wide", theme = "light", hash = "", token = gateway.token } = wanted;
    const isPhone = size === "phone";
    const context = await this.#browser.newContext({
      viewport: sizes[size],
      colorScheme: theme,
      reducedMotion: "reduce",
      hasTouch: isPhone,
      isMobile: isPhone,
      deviceScaleFactor: isPhone ? 2 : 1,
      permissions: ["clipboard-read", "clipboard-write"],
      // Certificates of tests are self-signed. This is for requests of the test itself.
      ignoreHTTPSErrors: gateway.origin.startsWith("https:"),
    });
    this.#contexts.push(context);
    // Only ends what hangs.
    context.setDefaultTimeout(60_000);
    await context.addInitScript(tellBreaches);
    const page = await context.newPage();
    this.#listen(context, gateway, wanted.isCutOff ?? false);
    const address = hash === "" ? `/#token=${token}` : `/${hash}?token=${token}`;
    await page.goto(gateway.origin + (wanted.basePath ?? "") + address);
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#contexts.map((context) => context.close()));
    await Promise.all(this.#gateways.map((gateway) => gateway[Symbol.asyncDispose]()));
  }

  /** Listens to all tabs of the context and its service worker. */
  #listen(context: BrowserContext, gateway: TestGateway, isCutOff: boolean): void {
    const complain = (text: string) => this.complaints.push(text);
    context.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      if (isCutOff && isAboutTheLine(message.text())) return;
      complain(`${message.type()} on the console: ${message.text()} (${message.location().url})`);
    });
    context.on("weberror", (found) => {
      const error = found.error();
      complain(`nobody caught: ${error.stack ?? error.message}`);
    });
    context.on("request", (request) => {
      const url = new URL(request.url());
      const isOurs = url.origin === gateway.origin || ["data:", "blob:"].includes(url.protocol);
      if (!isOurs) complain(`asked elsewhere: ${request.url()}`);
    });
  }
}

/** A policy violation is an event, because console messages vary. */
const tellBreaches = `addEventListener("securitypolicyviolation", (event) =>
  console.error("against the policy: " + event.violatedDirective + " " + event.blockedURI));`;

/** Chromium's own messages about failed requests and sockets, which a page can't suppress. */
function isAboutTheLine(text: string): boolean {
  return /^Failed to load resource|^WebSocket connection to|net::ERR_|ERR_INTERNET_DISCONNECTED/.test(
    text,
  );
}
