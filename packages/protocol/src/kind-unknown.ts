/**
 * Set in `_meta` of an option whose kind is unknown. Such an option has the kind `reject_once`, so that no rule
 * allows by it; rules that deny must not choose it either. Only a person can.
 */
export const kindUnknown = "landline/kind-unknown";
