/** Of the name without its ending. */
const longest = 60;

/** Both parameters of `content-disposition`: what every program reads, and what it stands for in full. */
export function attachment(title: string | null, sessionId: string, ending: string): string {
  const plain = `${fileStem(plainLetters(title ?? ""), sessionId)}.${ending}`;
  const full = `${fileStem(title ?? "", sessionId)}.${ending}`;
  const extended = full === plain ? "" : `; filename*=UTF-8''${encodeURIComponent(full)}`;
  return `attachment; filename="${plain}"${extended}`;
}

/**
 * A name for every file system: letters and digits of the title, and the end of the session's id, which is its random
 * part. With that behind it no name is empty, hidden, or one that Windows keeps for itself.
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

/** "Café" is "Cafe"; what has no such letter is left out. */
function plainLetters(title: string): string {
  return title
    .slice(0, longest * 8)
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll(/[^\0-\x7F]+/g, " ");
}
