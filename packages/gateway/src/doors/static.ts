import { readFile, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { LandlineError } from "@landline/protocol";
import { setCookie } from "./cookie.ts";
import type { DoorApp, DoorContext, DoorRequest } from "./context.ts";
import { pageHeaders, plainPage } from "./plain-page.ts";
import { nothingHere } from "./problem.ts";

/** Where the chat is when it was built. */
const built = fileURLToPath(new URL("../../../web/dist", import.meta.url));

/**
 * The page. `/?token=…` trades the token for a cookie and sends the browser on to the address without it,
 * so that it stays in no history. The page itself wants the token; the files that it is made of hold
 * nothing but code, and are given to whoever asks by our name.
 */
export function addPageRoutes(app: DoorApp, context: DoorContext, folder = built): void {
  const { basePath } = context.services.address;
  app.on("GET", "/*", async (request) => {
    const path = request.req.path.slice(basePath.length);
    if (path === "" || path === "/") return home(request, context, folder);
    if (path.startsWith("/api/") || path === "/api") throw nothingHere();
    const file = await fileAt(folder, path);
    if (file) return fileResponse(file, path);
    if (extname(path) !== "" || !wantsPage(request)) throw nothingHere();
    return page(request, context, folder);
  });
}

async function home(request: DoorRequest, context: DoorContext, folder: string): Promise<Response> {
  const { basePath } = context.services.address;
  const token = request.req.query("token");
  if (token !== undefined) return trade(request, token, context);
  // Names of files in the page are relative to its folder.
  if (request.req.path === basePath) return request.redirect(`${basePath}/`, 308);
  return page(request, context, folder);
}

function trade(request: DoorRequest, token: string, context: DoorContext): Response {
  const { services, addresses } = context;
  const { basePath } = services.address;
  if (!services.tokens.find(token)) throw new LandlineError("unauthorized");
  const host = request.req.header("host") ?? null;
  const cookie = setCookie(token, {
    host,
    basePath,
    maxAgeMs: services.limits.cookieMs,
    isSecure: addresses.isSecure(host ?? ""),
  });
  const headers = { location: `${basePath}/`, "set-cookie": cookie };
  return new Response(null, { status: 303, headers });
}

async function page(request: DoorRequest, context: DoorContext, folder: string): Promise<Response> {
  context.auth.authenticate(request.req.raw);
  const index = await fileAt(folder, "/index.html");
  if (index) return fileResponse(index, "/index.html");
  return new Response(plainPage(context.services.address.basePath), { headers: pageHeaders });
}

function wantsPage(request: DoorRequest): boolean {
  return request.req.header("accept")?.includes("text/html") ?? false;
}

interface StaticFile {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A file inside the folder, links resolved; null for anything else. */
async function fileAt(folder: string, address: string): Promise<StaticFile | null> {
  try {
    const name = decodeURIComponent(address);
    if (name.includes("\0") || name.includes("\\")) return null;
    const root = await realpath(folder);
    const path = await realpath(join(root, name));
    if (!path.startsWith(root + sep)) return null;
    return { path, bytes: await readFile(path) };
  } catch {
    // Not there, a folder, or nothing that could be read: there is nothing at this address.
    return null;
  }
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
  ".txt": "text/plain; charset=utf-8",
};

/** Scripts and styles of our own files, connections to ourselves, images from anywhere in the data. */
const chatPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

function fileResponse({ path, bytes }: StaticFile, address: string): Response {
  // The build puts a hash into the names of what lies in assets.
  const isFixed = /^\/assets\/.+[.-][\w-]{8,}\./.test(address);
  return new Response(bytes, {
    headers: {
      "content-type": types[extname(path)] ?? "application/octet-stream",
      "content-security-policy": chatPolicy,
      "cache-control": isFixed ? "public, max-age=31536000, immutable" : "no-cache",
    },
  });
}
