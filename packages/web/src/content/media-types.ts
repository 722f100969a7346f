/** Image types that browsers render. SVG is safe, because an `img` runs no scripts. */
const images = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
  "image/svg+xml",
]);

/** The media type for display; null if it is not displayed. */
export function imageType(type: string): string | null {
  const bare = bareType(type);
  const known = bare === "image/jpg" ? "image/jpeg" : bare;
  return images.has(known) ? known : null;
}

export function audioType(type: string): string | null {
  const bare = bareType(type);
  return /^audio\/[\w.+-]{1,60}$/u.test(bare) ? bare : null;
}

function bareType(type: string): string {
  return type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
