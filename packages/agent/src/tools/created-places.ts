import { type CreatedText, createdText, PlaceWatch, type SetAside } from "@landline/sandbox";
import { PermissionRefused } from "../permission/rule.ts";
import { OUTSIDE } from "./bash-sandbox.ts";
import { type ToolContext, ToolFailure } from "./tool.ts";

/** To be called before the command starts. */
export function watchPlaces({ workspace }: ToolContext): Promise<PlaceWatch> {
  return PlaceWatch.start(workspace.roots, process.env);
}

/** Asks about protected places that the command created. Resolves to those that were removed; null when none was created. */
export async function askAboutCreated(
  watch: PlaceWatch,
  context: ToolContext,
): Promise<readonly string[] | null> {
  const created = await watch.setAside();
  if (created === null) return null;
  const display = (path: string) => context.workspace.display(path);
  const words = createdText(created.places, "the command", display);
  const stopped = () => new ToolFailure("stopped", `(The person stopped it.)\n\n${words.text}`);
  if (context.signal.aborted) throw stopped();
  try {
    await ask(created, words, context);
  } catch (error) {
    if (context.signal.aborted) throw stopped();
    if (!(error instanceof PermissionRefused)) throw error;
    await created.remove();
    return created.places.map(({ path }) => display(path));
  }
  await created.restore();
  return [];
}

async function ask(
  { places }: SetAside,
  { title, text, reasons, options }: CreatedText,
  context: ToolContext,
): Promise<void> {
  const request = {
    permission: "bash",
    patterns: places.map(({ path }) => `${OUTSIDE}make ${path}`),
    always: [],
    mustAsk: reasons,
    view: { title },
    // A field that no rule of the client knows: its rules for the command do not answer for what it made.
    input: { created: places.map(({ path }) => path) },
    leavesSandbox: text,
  };
  await context.choose([request], options);
}
