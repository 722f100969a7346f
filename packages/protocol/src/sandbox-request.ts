/**
 * Stands in `_meta` of the tool call of a permission request of the sandbox: for a command that it stopped, which would run
 * again, or for protected places that a confined program created. The gateway opens it, or Landline's own agent. Clients that
 * answer for a person leave it to the person.
 */
export const sandboxRequest = "landline/sandbox";
