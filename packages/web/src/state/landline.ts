import { createLandline } from "@landline/client";

/** The gateway that served this page, which has a key of its own to come in with. */
// A link that is pasted over the address of this page does not load it again.
addEventListener("hashchange", () => {
  if (/[#?&]token=/.test(location.hash)) location.reload();
});

export const landline = createLandline();
