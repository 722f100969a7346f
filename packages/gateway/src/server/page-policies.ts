import type { ServerRequest, PageContext } from "./context.ts";

/**
 * Content security policy of the page: its own scripts, connections to this gateway, and data images. Menus, notes and
 * terminals insert style elements, which need `unsafe-inline`; styles cannot execute code.
 */
export function pagePolicies(request: ServerRequest, { addresses }: PageContext) {
  const host = request.req.header("host") ?? new URL(request.req.url).host;
  // Not every browser includes WebSockets of the same host in 'self'.
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

/** The page only needs the clipboard; other features keep the browser's default. */
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
