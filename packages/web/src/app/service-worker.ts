import { toast } from "sonner";

/** The files that this page was loaded with; they identify the build. */
const files = [...document.querySelectorAll("script[src], link[rel='stylesheet']")].map((element) =>
  element instanceof HTMLScriptElement ? element.src : (element as HTMLLinkElement).href,
);

/** Registers the service worker of this build and offers newer versions. */
export async function registerServiceWorker(): Promise<void> {
  // Missing in insecure contexts.
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
    // The page works without it, but not offline.
    console.warn("The service worker could not be registered.", error);
  }
}

/** Called when the connection is back: the gateway may be a newer version. */
export async function checkForUpdate(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  if (registration) look(registration);
}

function look(registration: ServiceWorkerRegistration): void {
  // The gateway may be unreachable: the next check follows.
  registration.update().catch(() => undefined);
}

/** The first worker is not an update. */
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

/** Whether the page already belongs to the worker's build, as after a reload. */
function keepsThisPage(next: ServiceWorker): Promise<boolean> {
  const { port1, port2 } = new MessageChannel();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  port1.addEventListener("message", ({ data }) => resolve(data === true), { once: true });
  port1.start();
  next.postMessage({ keeps: files }, [port2]);
  return promise.finally(() => port1.close());
}

function takeOver(next: ServiceWorker): void {
  // It is active already: another tab activated it, or no tab held it back.
  if (next.state !== "installed") return location.reload();
  next.addEventListener("statechange", () => location.reload(), { once: true });
  next.postMessage("take-over", []);
}
