import { writeFile } from "node:fs/promises";
import * as path from "node:path";
import type { Locator, Page } from "playwright-core";
import type { SessionView } from "@landline/protocol";
import { isIdle, type TestGateway } from "./gateway.ts";

/** Test files, and how they are dropped, pasted or chosen. */

/** A one-pixel PNG. */
export const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Empty audio. */
export const beep = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/** Writes a file outside the project. Returns its path. */
export async function fileOf(
  gateway: TestGateway,
  name: string,
  content: Uint8Array | string,
): Promise<string> {
  const file = path.join(gateway.folder, name);
  await writeFile(file, content);
  return file;
}

/** Drags files over an element through the browser, as from a file manager. */
export async function dragOver(page: Page, what: Locator, files: readonly string[]) {
  const box = await what.boundingBox();
  if (!box) throw new Error("There is nothing to drop files on.");
  const place = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const browser = await page.context().newCDPSession(page);
  const data = { items: [], files: [...files], dragOperationsMask: 1 };
  const send = (type: "dragEnter" | "dragOver" | "drop") =>
    browser.send("Input.dispatchDragEvent", { type, ...place, data });
  await send("dragEnter");
  await send("dragOver");
  return { drop: () => send("drop") };
}

/** Pastes a file as the system clipboard does. */
export async function pasteFile(
  what: Locator,
  file: { readonly name: string; readonly type: string; readonly base64: string },
): Promise<void> {
  await what.evaluate((element, { name, type, base64 }) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0) ?? 0);
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([bytes], name, { type }));
    element.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
    );
  }, file);
}

/** What was sent in the last turn and what the agent reports that it received. */
export async function sentAndGot(gateway: TestGateway, sessionId: string) {
  const { items } = await gateway.until(sessionId, isDone);
  const prompt = items.findLast((item) => item.type === "prompt");
  const call = items.findLast((item) => item.type === "tool-call");
  const { got } = (call?.rawInput ?? {}) as { got?: unknown };
  return { sent: prompt?.content, got };
}

function isDone(view: SessionView): boolean {
  return isIdle(view) && view.items.some(({ type }) => type === "tool-call");
}
