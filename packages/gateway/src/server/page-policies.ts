import type { ServerRequest, PageContext } from "./context.ts";

/**
 * What the page may do: run the scripts of our own files, connect to ourselves, and show images that stand
 * in the data. Styles are ours too, but menus, notes and terminals bring theirs as elements of the page, which
 * is `unsafe-inline`; a style can't run anything.
 */
export function pagePolicies(request: ServerRequest, { addresses }: PageContext) {
  const host = request.req.header("host") ?? new URL(request.req.url).host;
  // Not every browser takes 'self' to mean the sockets of the same host as well.
  const socket = `${addresses.isSecure(host) ? "wss" : "ws"}://${host}`;
  return {
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data: blob:",
      "media-src 'self' data: blob:",
      "font-src 'self'",
      `connect-src 'self' ${socket}`,
      "manifest-src 'self'",
      "worker-src 'self'",
      "object-src 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ].join("; "),
    "permissions-policy": permissions,
    "cross-origin-opener-policy": "same-origin",
  };
}

/** Copying is all that the page does with the machine; what is not named here is as the browser has it. */
const permissions = [
  "clipboard-write=(self)",
  ...[
    "accelerometer",
    "autoplay",
    "camera",
    "clipboard-read",
    "display-capture",
    "encrypted-media",
    "geolocation",
    "gyroscope",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "publickey-credentials-get",
    "screen-wake-lock",
    "usb",
    "xr-spatial-tracking",
  ].map((feature) => `${feature}=()`),
].join(", ");
