import { escaped } from "./escape.ts";

/** Small static pages for when the page cannot be shown. */
export const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  "cache-control": "no-store",
} as const;

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}";

export function plainPage(basePath: string): string {
  const path = escaped(basePath);
  return page(
    "Landline",
    `<p>This is a Landline gateway: it runs coding agents and keeps every conversation.</p>
<p>The chat is not built here. Programs find the API at <a href="${path}/api/openapi.json">${path}/api/openapi.json</a>.</p>`,
  );
}

export function signInPage(): string {
  return page(
    "Landline: a token is needed",
    `<p>Open the address that <code>landline serve</code> printed, or run <code>landline token url</code>.</p>`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${style}</style></head>
<body><h1>${title}</h1>
${body}
</body>
</html>
`;
}
