/** A function where the text would be long to make. */
export type CopiedText = string | (() => string | Promise<string>);

/** To the clipboard; throws, in words, where a page may not. */
export async function copyText(text: CopiedText): Promise<void> {
  if (!navigator.clipboard) {
    throw new Error("This browser lets a page copy only over https, or where the gateway runs.");
  }
  await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
}
