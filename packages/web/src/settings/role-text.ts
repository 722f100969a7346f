import type { Role } from "@landline/client";

/** What each role permits. */
export const roleText: Readonly<Record<Role, string>> = {
  admin: "May do everything",
  control: "May work with agents",
  watch: "May watch",
};
