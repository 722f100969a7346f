import { LandlineError, roles, type Role } from "@landline/protocol";

export function hasRole(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/** Throws `forbidden`. */
export function requireRole({ role }: { readonly role: Role }, least: Role): void {
  if (hasRole(role, least)) return;
  throw new LandlineError("forbidden", {
    message: refusals[role],
    help: `Use a token that has the role ${least}: \`landline token new NAME --role ${least}\`.`,
    data: { role, needed: least },
  });
}

const refusals: Readonly<Record<Role, string>> = {
  watch: "This token may only watch.",
  control: "This token may work with agents, but not administer the gateway.",
  admin: "No token may do that.",
};
