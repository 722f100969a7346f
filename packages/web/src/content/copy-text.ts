/** A function if the text is expensive to create. */
export type CopiedText = string | (() => string | Promise<string>);

/** Throws a readable error if the page may not write to the clipboard. */
export async function copyText(text: CopiedText): Promise<void> {
  if (!navigator.clipboard) {
    throw new Error("This browser lets a page copy only over https, or where the gateway runs.");
  }
  await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
}
