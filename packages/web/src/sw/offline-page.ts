/** Replaces the browser's error page when the gateway is unreachable and nothing is cached. */
export function offlinePage(): Response {
  return new Response(html, {
    status: 503,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
      "cache-control": "no-store",
    },
  });
}

/** Uses the colours of theme.css. */
const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="10">
<title>Offline · Landline</title>
<style>
:root { color-scheme: light dark; }
body {
  margin: 0; min-height: 100dvh; display: grid; place-content: center; padding: 1.5rem; box-sizing: border-box;
  font: 15px/24px system-ui, sans-serif;
  background: light-dark(oklch(0.985 0.003 85), oklch(0.205 0.004 85));
  color: light-dark(oklch(0.24 0.008 85), oklch(0.925 0.005 85));
}
main { max-width: 34rem; }
h1 { font-size: 15px; margin: 0 0 0.5rem; }
p { margin: 0 0 1rem; color: light-dark(oklch(0.47 0.01 85), oklch(0.73 0.01 85)); }
a {
  display: inline-block; padding: 0.5rem 0.75rem; border-radius: 4px; text-decoration: none;
  background: light-dark(oklch(0.5 0.095 205), oklch(0.78 0.1 200));
  color: light-dark(oklch(0.99 0.003 200), oklch(0.2 0.03 205));
}
a:focus-visible { outline: 2px solid; outline-offset: 2px; }
</style>
</head>
<body>
<main>
<h1>The gateway can't be reached</h1>
<p>Nothing is lost: your conversations are kept where it runs. Start it with <code>npx landline serve</code>, or check the
connection. This page tries again every ten seconds.</p>
<a href="">Try now</a>
</main>
</body>
</html>
`;
