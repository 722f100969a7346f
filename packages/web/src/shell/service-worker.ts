import { toast } from "sonner";

/** Takes the service worker of this build into service, and says when there is a newer one. */
export async function registerServiceWorker(): Promise<void> {
  // Not over plain http from another machine: there browsers have none.
  const container = navigator.serviceWorker;
  if (!container) return;
  try {
    const registration = await container.register("./sw.js", { updateViaCache: "none" });
    if (registration.waiting && container.controller) offer(registration.waiting);
    registration.addEventListener("updatefound", () => {
      const { installing } = registration;
      installing?.addEventListener("statechange", () => {
        if (installing.state === "installed" && container.controller) offer(installing);
      });
    });
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) look(registration);
    });
  } catch (error) {
    // The page works without: it is only not there when the gateway is not.
    console.warn("The service worker was not taken into service.", error);
  }
}

/** The gateway was away and is back: perhaps as a newer version. */
export async function lookForUpdate(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  if (registration) look(registration);
}

function look(registration: ServiceWorkerRegistration): void {
  // The gateway may be away: the next look comes.
  registration.update().catch(() => undefined);
}

function offer(next: ServiceWorker): void {
  toast("A new version is ready.", {
    id: "new-version",
    duration: Number.POSITIVE_INFINITY,
    action: { label: "Reload", onClick: () => takeOver(next) },
  });
}

function takeOver(next: ServiceWorker): void {
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), {
    once: true,
  });
  next.postMessage("take-over", []);
}
