import type { Api } from "@landline/client";

/** Has the browser fetch it as a download, so that it may be of any size; the page stays where it is. */
export async function downloadExport(
  api: Pick<Api, "exportUrl">,
  sessionId: string,
  format: "json" | "markdown" | "html",
): Promise<void> {
  const link = document.createElement("a");
  link.href = await api.exportUrl({ sessionId, format });
  // The gateway names the file.
  link.download = "";
  link.click();
}
