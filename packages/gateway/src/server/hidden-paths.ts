import { LandlineError } from "@landline/protocol";
import type { Principal } from "./auth.ts";
import type { Services } from "./services.ts";

/** The error as this client may read it: without paths of the data folder for watchers and unauthenticated clients. */
export function shownTo(
  principal: Principal | undefined,
  error: LandlineError,
  { dataFolders = [] }: Pick<Services, "dataFolders">,
): LandlineError {
  if (principal !== undefined && principal.role !== "watch") return error;
  const { code, message, help, data, retryAfterMs, cause } = error;
  const isPath = (text: string) => dataFolders.some((folder) => text.includes(folder));
  if (!isPath(`${message} ${help} ${JSON.stringify(data)}`)) return error;
  const hide = (text: string) =>
    dataFolders.reduce((hidden, folder) => without(folder, hidden), text);
  return new LandlineError(code, {
    message: hide(message),
    help: hide(help),
    data: Object.fromEntries(
      Object.entries(data).filter(([, value]) => !isPath(JSON.stringify(value) ?? "")),
    ),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    cause,
  });
}

/** Removes the folder and paths below it. */
function without(folder: string, text: string): string {
  const [before = "", ...parts] = text.split(folder);
  return (
    before + parts.map((part) => part.replace(/^(?:[\\/][\w.-]+)*/u, "(data folder)")).join("")
  );
}
