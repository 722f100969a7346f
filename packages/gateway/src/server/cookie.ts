/**
 * Reads the cookie in which earlier versions stored the token. Browsers send cookies to every port of a host, so no
 * cookie is set any more; an existing one is exchanged once for a key.
 */
export function cookieOf(cookies: string | null, host: string | null): string | null {
  if (cookies === null) return null;
  const name = cookieName(host);
  for (const cookie of cookies.split(";")) {
    const equals = cookie.indexOf("=");
    if (equals < 0 || cookie.slice(0, equals).trim() !== name) continue;
    return decoded(cookie.slice(equals + 1).trim());
  }
  return null;
}

/** The header that deletes the cookie, or null when the browser has none. */
export function clearedCookie(cookies = "", host = "", basePath = ""): string | null {
  if (cookieOf(cookies, host) === null) return null;
  const path = basePath === "" ? "/" : basePath;
  return `${cookieName(host)}=; Path=${path}; Max-Age=0; HttpOnly; SameSite=Strict`;
}

function cookieName(host: string | null): string {
  const port = /:(\d{1,5})$/.exec(host ?? "")?.[1];
  return port === undefined ? "landline" : `landline_${port}`;
}

function decoded(value: string): string | null {
  try {
    return decodeURIComponent(value);
  } catch {
    return null;
  }
}
