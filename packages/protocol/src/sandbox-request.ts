/**
 * Set in `_meta` of the tool call of a permission request about the sandbox: a stopped command that would run again,
 * or protected places that a confined program created. The gateway or the built-in agent opens it. Only a person may
 * answer it.
 */
export const sandboxRequest = "landline/sandbox";
