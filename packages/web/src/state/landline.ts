import { createLandline } from "@landline/client";

/** The gateway that served this page: the cookie lets it in. */
export const landline = createLandline({ windowMs: 16 });
