/**
 * The service worker. It caches the files of one build (`SHELL`, written by the build) plus at most `laterKept`
 * lazy files, and shows notifications. It never handles data (sw/fetch-strategy.ts), and a new version waits until
 * the page activates it.
 */
import { offlinePage } from "./sw/offline-page.ts";
import { fetchStrategy } from "./sw/fetch-strategy.ts";
import type { WorkerScope } from "./sw/worker-scope.ts";

declare const SHELL: { readonly build: string; readonly files: readonly string[] };

const worker = globalThis as unknown as WorkerScope;
const { scope } = worker.registration;
/** Several gateways may share one host under different paths. */
const prefix = `landline ${new URL(scope).pathname} `;
const cacheName = prefix + SHELL.build;
const laterKept = 300;
/** A gateway that does not answer within this time counts as unreachable. */
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

/** Answers a page that asks whether this worker belongs to its build. */
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
    // A proxy answers for a gateway that is down.
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
    // The quota is exceeded: the file comes from the network next time.
  }
}

/** False for the page that asks for a token. */
function isPage({ ok, redirected }: Response): boolean {
  return ok && !redirected;
}

/** Focuses or opens a page at the session of the notification. */
async function show(data: unknown): Promise<void> {
  const hash = hashOf(data);
  const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  // Another gateway's page may be below this scope. A client's `url` keeps its first hash.
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
