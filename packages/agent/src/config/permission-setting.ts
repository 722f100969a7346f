import type { Rule } from "../permission/rule.ts";
import { expandPattern } from "./config-folders.ts";
import type { PermissionSetting } from "./schema.ts";

/** Converts `"ask"`, `{"edit": "allow"}` or `{"bash": {"git *": "allow"}}`, in the written order. */
export function rulesOfPermission(setting: PermissionSetting, home: string): Rule[] {
  if (typeof setting === "string") return [{ permission: "*", pattern: "*", action: setting }];
  return Object.entries(setting).flatMap(([permission, value]) =>
    typeof value === "string"
      ? [{ permission, pattern: "*", action: value }]
      : Object.entries(value).map(([pattern, action]) => ({
          permission,
          pattern: expandPattern(pattern, home),
          action,
        })),
  );
}

/** The tools that change files share one permission. */
const permissionOfTool: Readonly<Record<string, string>> = {
  write: "edit",
  patch: "edit",
  multiedit: "edit",
  apply_patch: "edit",
};

/** `{"bash": false}` removes a tool; `true` restores it with its default rules. */
export function rulesOfTools(tools: Readonly<Record<string, boolean>>): Rule[] {
  return Object.entries(tools).flatMap(([tool, on]) => {
    const permission = permissionOfTool[tool] ?? tool;
    return [{ permission, pattern: "*", action: on ? ("default" as const) : ("deny" as const) }];
  });
}

/** Removes every tool that is not listed. */
export function rulesOfToolList(tools: readonly string[]): Rule[] {
  return [
    { permission: "*", pattern: "*", action: "deny" },
    ...tools.map((tool) => asByDefault(permissionOfTool[tool] ?? tool)),
    // These are checks, not tools: denying them would deny the listed tools.
    asByDefault("external_directory"),
    asByDefault("external_host"),
    asByDefault("doom_loop"),
  ];
}

function asByDefault(permission: string): Rule {
  return { permission, pattern: "*", action: "default" };
}

/** Removes what grants rights, for folders that are not trusted. */
export function withoutAllow(setting: PermissionSetting): PermissionSetting | undefined {
  if (typeof setting === "string") return setting === "allow" ? undefined : setting;
  const stricter: Exclude<PermissionSetting, string> = {};
  for (const [permission, value] of Object.entries(setting)) {
    if (typeof value === "string") {
      if (value !== "allow") stricter[permission] = value;
      continue;
    }
    const kept = Object.entries(value).filter(([, action]) => action !== "allow");
    if (kept.length > 0) stricter[permission] = Object.fromEntries(kept);
  }
  return stricter;
}

/** What the setting allows, as phrases for the user. */
export function allowances(setting: PermissionSetting): string[] {
  if (typeof setting === "string") return setting === "allow" ? ["everything"] : [];
  return Object.entries(setting).flatMap(([permission, value]) => {
    if (typeof value === "string") return value === "allow" ? [permission] : [];
    return Object.entries(value)
      .filter(([, action]) => action === "allow")
      .map(([pattern]) => `${permission} "${pattern}"`);
  });
}
