import type { Api } from "@landline/client";

/** Lets the browser download it, so that it may have any size; the page stays. */
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
