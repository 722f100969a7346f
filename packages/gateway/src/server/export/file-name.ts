/** Maximum length without the extension. */
const longest = 60;

/** Both parameters of `content-disposition`: the ASCII fallback and the full name. */
export function attachment(title: string | null, sessionId: string, ending: string): string {
  const plain = `${fileStem(plainLetters(title ?? ""), sessionId)}.${ending}`;
  const full = `${fileStem(title ?? "", sessionId)}.${ending}`;
  const extended = full === plain ? "" : `; filename*=UTF-8''${encodeURIComponent(full)}`;
  return `attachment; filename="${plain}"${extended}`;
}

/**
 * A name that is valid on every file system: letters and digits of the title, and the random end of the session id,
 * which prevents empty, hidden and reserved Windows names.
 */
function fileStem(title: string, sessionId: string): string {
  const id = sessionId.replaceAll(/[^A-Za-z0-9]/g, "").slice(-8) || "session";
  const slug = title
    .slice(0, longest * 8)
    .toWellFormed()
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .slice(0, longest - id.length - 1)
    .replace(/[\ud800-\udbff]$/, "")
    .replaceAll(/^-+|-+$/g, "");
  return `${slug || "conversation"}-${id}`;
}

/** "Café" becomes "Cafe"; letters without such a form are removed. */
function plainLetters(title: string): string {
  return title
    .slice(0, longest * 8)
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll(/[^\0-\x7F]+/g, " ");
}
