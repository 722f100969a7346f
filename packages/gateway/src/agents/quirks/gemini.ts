import type { Quirk } from "../quirks.ts";

/** Its check whether a file exists takes any error for a failure of the tool, so it can't create one. */
export const gemini: Quirk = {
  ids: ["gemini"],
  names: ["gemini-cli"],
  needs: { missingFileIsEmpty: true },
};
