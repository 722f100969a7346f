import { LandlineError, roles, type Role } from "@landline/protocol";

/** The least role for what an operation does only for some; its row in the table has the role for the rest. */
export const partRoles = {
  /** Names of files in a folder that is no session's. */
  anyFolder: "control",
  everywhereRule: "admin",
  deviceOfAnother: "admin",
  /** Tokens that were made and revoked, in the audit. */
  accessAudit: "admin",
  /** How a sign-in goes, and which keys an agent has. */
  signInDetails: "admin",
} as const satisfies Readonly<Record<string, Role>>;

export function hasRole(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/** Throws `forbidden`. */
export function requireRole({ role }: { readonly role: Role }, least: Role): void {
  if (hasRole(role, least)) return;
  throw new LandlineError("forbidden", {
    message: refusals[role],
    help: `Come with a token that has the role ${least}: \`landline token new NAME --role ${least}\`.`,
    data: { role, needed: least },
  });
}

const refusals: Readonly<Record<Role, string>> = {
  watch: "This token may watch, and not act.",
  control: "This token may work with agents, and not administer the gateway.",
  admin: "Nobody may do that.",
};
