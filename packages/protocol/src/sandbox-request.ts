/**
 * Stands in `_meta` of the tool call of a permission request for a command that its sandbox stopped, which would run again.
 * The gateway opens it, or Landline's own agent. Clients that answer for a person leave it to the person.
 */
export const sandboxRequest = "landline/sandbox";
