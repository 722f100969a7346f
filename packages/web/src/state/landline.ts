import { createLandline } from "@landline/client";

// A pasted link that differs only in its hash does not reload the page by itself.
addEventListener("hashchange", () => {
  if (/[#?&]token=/.test(location.hash)) location.reload();
});

export const landline = createLandline();
