/** What a browser may show as an image by itself. SVG among them: as the source of an image it runs nothing. */
const images = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
  "image/svg+xml",
]);

/** The type that an image is shown as; null for what is not shown. */
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
