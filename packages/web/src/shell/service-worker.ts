import { toast } from "sonner";

/** What this page was loaded with, by which a build is known. */
const files = [...document.querySelectorAll("script[src], link[rel='stylesheet']")].map((element) =>
  element instanceof HTMLScriptElement ? element.src : (element as HTMLLinkElement).href,
);

/** Takes the service worker of this build into service, and says when there is a newer one. */
export async function registerServiceWorker(): Promise<void> {
  // Not over plain http from another machine: there browsers have none.
  const container = navigator.serviceWorker;
  if (!container) return;
  try {
    const registration = await container.register("./sw.js", { updateViaCache: "none" });
    if (registration.waiting) void offer(registration.waiting);
    // Another tab may have found it before.
    offerWhenInstalled(registration);
    registration.addEventListener("updatefound", () => offerWhenInstalled(registration));
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) look(registration);
    });
  } catch (error) {
    // The page works without: it is only not there when the gateway is not.
    console.warn("The service worker was not taken into service.", error);
  }
}

/** The gateway was away and is back: perhaps as a newer version. */
export async function checkForUpdate(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  if (registration) look(registration);
}

function look(registration: ServiceWorkerRegistration): void {
  // The gateway may be away: the next look comes.
  registration.update().catch(() => undefined);
}

/** The first worker of all is no news: nothing was in service before it. */
function offerWhenInstalled({ installing, active }: ServiceWorkerRegistration): void {
  if (!installing || !active) return;
  installing.addEventListener("statechange", () => {
    if (installing.state === "installed") void offer(installing);
  });
}

async function offer(next: ServiceWorker): Promise<void> {
  if (await keepsThisPage(next)) return next.postMessage("take-over", []);
  toast("A new version is ready.", {
    id: "new-version",
    duration: Number.POSITIVE_INFINITY,
    action: { label: "Reload", onClick: () => takeOver(next) },
  });
}

/** Whether the page is as new as the worker: it was loaded again after the gateway was updated. */
function keepsThisPage(next: ServiceWorker): Promise<boolean> {
  const { port1, port2 } = new MessageChannel();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  port1.addEventListener("message", ({ data }) => resolve(data === true), { once: true });
  port1.start();
  next.postMessage({ keeps: files }, [port2]);
  return promise.finally(() => port1.close());
}

function takeOver(next: ServiceWorker): void {
  // Another tab has let it take over, or no tab had kept it from that.
  if (next.state !== "installed") return location.reload();
  next.addEventListener("statechange", () => location.reload(), { once: true });
  next.postMessage("take-over", []);
}
