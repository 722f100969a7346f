import type { Quirk } from "../quirks.ts";

/** It treats any error of its file existence check as a tool failure, so it cannot create files. */
export const gemini: Quirk = {
  ids: ["gemini"],
  names: ["gemini-cli"],
  needs: { missingFileIsEmpty: true },
};
