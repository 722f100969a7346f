import { extname } from "node:path";
import type { ServerApp, ServerRequest, PageContext } from "./context.ts";
import { acceptedEncodings, PageFiles, type PageFile } from "./page-files.ts";
import { pagePolicies } from "./page-policies.ts";
import { pageHeaders, plainPage } from "./plain-page.ts";
import { notFound } from "./problem.ts";

/**
 * Routes of the page, which contains no data and needs no token; it authenticates itself. Links of earlier versions
 * have the token in the query: it is moved to the fragment, which browsers do not send.
 */
export function addPageRoutes(app: ServerApp, context: PageContext): void {
  const { address, limits } = context.services;
  const files = new PageFiles(context.pages, limits.pageFilesBytes);
  app.on("GET", "/*", async (request) => {
    const path = request.req.path.slice(address.basePath.length);
    if (path === "" || path === "/") return home(request, context, files);
    if (path.startsWith("/api/") || path === "/api") throw notFound();
    const answer = await fileAnswer(request, context, files, path);
    if (answer) return answer;
    if (extname(path) !== "" || !wantsPage(request)) throw notFound();
    return page(request, context, files);
  });
}

async function home(request: ServerRequest, context: PageContext, files: PageFiles) {
  const { basePath } = context.services.address;
  const token = request.req.query("token");
  if (token !== undefined) {
    const location = `${basePath}/#token=${encodeURIComponent(token)}`;
    return new Response(null, { status: 303, headers: { location } });
  }
  // File names in the page are relative to its folder.
  if (request.req.path === basePath) return request.redirect(`${basePath}/`, 308);
  return page(request, context, files);
}

async function page(request: ServerRequest, context: PageContext, files: PageFiles) {
  const index = await fileAnswer(request, context, files, "/index.html");
  if (index) return index;
  return new Response(plainPage(context.services.address.basePath), { headers: pageHeaders });
}

function wantsPage(request: ServerRequest): boolean {
  return request.req.header("accept")?.includes("text/html") ?? false;
}

async function fileAnswer(
  request: ServerRequest,
  context: PageContext,
  files: PageFiles,
  path: string,
): Promise<Response | null> {
  const accepted = acceptedEncodings(request.req.header("accept-encoding"));
  const file = await files.find(path, accepted);
  if (!file) return null;
  const headers = { ...fileHeaders(file), ...pagePolicies(request, context) };
  if (path === "/sw.js") {
    const scope = `${context.services.address.basePath}/`;
    Object.assign(headers, { "service-worker-allowed": scope });
  }
  if (isKnown(request.req.header("if-none-match"), file.etag))
    return new Response(null, { status: 304, headers });
  return new Response(file.bytes, { headers });
}

function fileHeaders({ type, encoding, etag, isFixed }: PageFile) {
  return {
    "content-type": type,
    ...(encoding !== null && { "content-encoding": encoding }),
    vary: "accept-encoding",
    etag,
    "cache-control": isFixed ? "public, max-age=31536000, immutable" : "no-cache",
  };
}

/** Proxies that compress a response mark its ETag as weak. */
function isKnown(header: string | undefined, etag: string): boolean {
  const known = header?.split(",").map((tag) => tag.trim().replace(/^W\//, "")) ?? [];
  return known.includes(etag) || known.includes("*");
}
