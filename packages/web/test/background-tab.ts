import type { Page, Worker } from "playwright-core";
import type { TestGateway } from "./gateway.ts";

/** A page in the background, and its notifications. */

/** The driver keeps every page visible, so this simulates the visibility change of a hidden tab, until a reload. */
export async function lookAway(page: Page): Promise<void> {
  await page.evaluate(setHidden, true);
}

export async function lookBack(page: Page): Promise<void> {
  await page.evaluate(setHidden, false);
}

function setHidden(isHidden: boolean): void {
  const state = isHidden ? "hidden" : "visible";
  Object.defineProperty(document, "hidden", { configurable: true, value: isHidden });
  Object.defineProperty(document, "visibilityState", { configurable: true, value: state });
  document.dispatchEvent(new Event("visibilitychange"));
}

/** The content and data of a notification. */
interface ShownNotification {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly data: unknown;
}

/** The notifications that are shown now. */
export async function shown(page: Page): Promise<ShownNotification[]> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const notifications = await registration.getNotifications();
    return notifications.map(({ title, body, tag, data }) => {
      return { title, body, tag, data: data as unknown };
    });
  });
}

/**
 * Records the page's calls of notification and badge functions: replaced notifications are no longer listed, and a
 * badge can't be read.
 */
export async function writeDown(page: Page): Promise<void> {
  await page.evaluate(() => {
    const asked: string[] = [];
    Object.assign(globalThis, { asked });
    const listen = (to: object, name: string, words: (given: unknown[]) => string) => {
      const real = Reflect.get(to, name) as (...given: unknown[]) => unknown;
      const heard = function (this: unknown, ...given: unknown[]) {
        asked.push(words(given));
        return Reflect.apply(real, this, given);
      };
      Reflect.set(to, name, heard);
    };
    listen(
      ServiceWorkerRegistration.prototype,
      "showNotification",
      ([, options]) => (options as NotificationOptions).body ?? "",
    );
    listen(Navigator.prototype, "setAppBadge", ([count]) => `badge ${String(count)}`);
    listen(Navigator.prototype, "clearAppBadge", () => "no badge");
  });
}

export async function askedFor(page: Page): Promise<string[]> {
  return page.evaluate(() => (globalThis as unknown as { asked: string[] }).asked);
}

/**
 * What the worker does on a click on the only notification. Only a real click lets a worker open windows, so the
 * event is synthetic and the worker's calls are recorded.
 */
export async function clickNotification(worker: Worker): Promise<string[]> {
  return worker.evaluate(async () => {
    const scope = globalThis as unknown as ClickedScope;
    const asked: string[] = [];
    scope.clients.openWindow = async (url) => void asked.push(`open ${url}`);
    scope.WindowClient.prototype.focus = async function () {
      asked.push(`focus ${this.url}`);
    };
    const [notification, ...others] = await scope.registration.getNotifications();
    if (!notification || others.length > 0) throw new Error("There is not one notification.");
    const work: Promise<unknown>[] = [];
    const click = new scope.NotificationEvent("notificationclick", { notification });
    click.waitUntil = (more) => void work.push(more);
    scope.dispatchEvent(click);
    await Promise.all(work);
    return asked;
  });
}

interface ClickedScope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: { openWindow: (url: string) => Promise<void> };
  readonly WindowClient: {
    readonly prototype: { focus: (this: { readonly url: string }) => Promise<void> };
  };
  readonly NotificationEvent: new (
    name: string,
    about: { notification: Notification },
  ) => Event & { waitUntil: (work: Promise<unknown>) => void };
  dispatchEvent(event: Event): boolean;
}

/** Whether the worker has no pages. */
export async function isAlone(worker: Worker): Promise<boolean> {
  return worker.evaluate(async () => {
    const { clients } = globalThis as unknown as ClientsScope;
    return (await clients.matchAll({ includeUncontrolled: true })).length === 0;
  });
}

interface ClientsScope {
  readonly clients: { matchAll(options: object): Promise<readonly unknown[]> };
}

/** Makes the agent request permission for a command. */
export async function haveItAsk(gateway: TestGateway, sessionId: string): Promise<void> {
  await gateway.promptUntil(sessionId, "Run the command", ({ openAsks }) => openAsks.length > 0);
}

export async function allow(gateway: TestGateway, sessionId: string): Promise<void> {
  const { openAsks } = await gateway.view(sessionId);
  const address = `/api/sessions/${sessionId}/asks/${openAsks[0]?.askId ?? ""}`;
  await gateway.call("POST", address, { optionId: "once" });
}
