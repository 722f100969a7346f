/**
 * The cookie that holds the token for a browser. Cookies do not know ports, and two gateways may run on
 * one machine: so its name has the port in it.
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

export interface CookiePlace {
  readonly host: string | null;
  readonly basePath: string;
  readonly maxAgeMs: number;
  readonly isSecure: boolean;
}

export function setCookie(token: string, place: CookiePlace): string {
  const { host, basePath, maxAgeMs, isSecure } = place;
  const maxAge = Math.floor(maxAgeMs / 1_000);
  return [
    `${cookieName(host)}=${encodeURIComponent(token)}`,
    `Path=${basePath === "" ? "/" : basePath}`,
    `Max-Age=${maxAge}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
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
