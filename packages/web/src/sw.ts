/**
 * The service worker: keeps what the page is made of, so that it is there when the gateway is not, and shows
 * notifications where only a worker may. It never sees data (sw/fetch-strategy.ts), and waits with a new version until the
 * page says that the person wants it. Kept is what one build needs (written into `SHELL` by the build), and of
 * what it loads later at most `laterKept` files.
 */
import { offlinePage } from "./sw/offline-page.ts";
import { fetchStrategy } from "./sw/fetch-strategy.ts";
import type { WorkerScope } from "./sw/worker-scope.ts";

declare const SHELL: { readonly build: string; readonly files: readonly string[] };

const worker = globalThis as unknown as WorkerScope;
const { scope } = worker.registration;
/** Several gateways may stand below paths of one host. */
const prefix = `landline ${new URL(scope).pathname} `;
const cacheName = prefix + SHELL.build;
const laterKept = 300;
/** After this a gateway that does not answer counts as away. */
const patienceMs = 4_000;

worker.addEventListener("install", (event) => event.waitUntil(keepShell()));
worker.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
worker.addEventListener("message", ({ data, ports }) => {
  if (data === "take-over") void worker.skipWaiting();
  else ports[0]?.postMessage(keeps(data));
});
worker.addEventListener("fetch", (event) => {
  const plan = fetchStrategy(event.request, scope);
  if (plan === "page") event.respondWith(page(event.request));
  if (plan === "asset") event.respondWith(asset(event.request));
});
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data));
});

async function keepShell(): Promise<void> {
  const cache = await caches.open(cacheName);
  await cache.addAll(SHELL.files.map((name) => new URL(name, scope).href));
  const response = await fetch(scope, { cache: "no-cache" });
  if (isPage(response)) await cache.put(scope, response);
}

/** Answers a page that wants to know whether it is of this build. */
function keeps(data: unknown): boolean {
  if (typeof data !== "object" || data === null || !("keeps" in data)) return false;
  const kept = new Set<unknown>(SHELL.files.map((name) => new URL(name, scope).href));
  return Array.isArray(data.keeps) && data.keeps.every((url) => kept.has(url));
}

async function forgetOthers(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(prefix) && name !== cacheName);
  await Promise.all(old.map((name) => caches.delete(name)));
}

async function page(request: Request): Promise<Response> {
  const cache = await caches.open(cacheName);
  const kept = await cache.match(scope);
  try {
    const response = await fetch(request, kept ? { signal: AbortSignal.timeout(patienceMs) } : {});
    // A proxy in front of a gateway that is away.
    if (response.status >= 500 && kept) return kept;
    if (isPage(response) && !kept) await cache.put(scope, response.clone());
    return response;
  } catch {
    return kept ?? offlinePage();
  }
}

async function asset(request: Request): Promise<Response> {
  const cache = await caches.open(cacheName);
  const kept = await cache.match(request.url);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await keepLater(cache, request.url, response.clone());
  return response;
}

async function keepLater(cache: Cache, url: string, response: Response): Promise<void> {
  try {
    const kept = await cache.keys();
    if (kept.length < SHELL.files.length + laterKept) await cache.put(url, response);
  } catch {
    // There is no room for it: it comes from the network the next time too.
  }
}

/** Not the one that asks for a token. */
function isPage({ ok, redirected }: Response): boolean {
  return ok && !redirected;
}

/** Brings up a page at the session that the notification is about. */
async function show(data: unknown): Promise<void> {
  const hash = hashOf(data);
  const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  // The page of another gateway may stand below ours. What is behind the `#` is as it was at first.
  const open = windows.find(({ url }) => url.replace(/[?#].*$/, "") === scope);
  if (!open) {
    await worker.clients.openWindow(scope + hash);
    return;
  }
  open.postMessage({ hash }, []);
  await open.focus();
}

function hashOf(data: unknown): string {
  if (typeof data !== "object" || data === null || !("hash" in data)) return "#/";
  return typeof data.hash === "string" ? data.hash : "#/";
}
