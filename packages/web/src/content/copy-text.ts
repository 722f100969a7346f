/** A function if the text is expensive to create. */
export type CopiedText = string | (() => string | Promise<string>);

/** Throws a readable error if the page may not write to the clipboard. */
export async function copyText(text: CopiedText): Promise<void> {
  if (!navigator.clipboard) {
    throw new Error("Browsers allow copying only on https pages or on localhost.");
  }
  await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
}
