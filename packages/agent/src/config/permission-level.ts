/** From the level that asks most to the one that asks least. */
export const permissionLevels = ["ask", "accept-edits", "sandboxed", "allow-all"] as const;
export type PermissionLevel = (typeof permissionLevels)[number];

export function asksLess(one: PermissionLevel, other: PermissionLevel): boolean {
  return permissionLevels.indexOf(one) > permissionLevels.indexOf(other);
}
