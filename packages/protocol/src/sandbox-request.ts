/**
 * Stands in `_meta` of the tool call of a permission request that the gateway itself opens: a command that its sandbox
 * stopped would run again. Clients that answer for a person leave it to the person.
 */
export const sandboxRequest = "landline/sandbox";
