/**
 * Stands in `_meta` of an option whose kind could not be read off. It is called `reject_once`, because
 * a rule that allows looks for a kind that allows and must not find one here; a rule that denies must
 * not choose it either, for it may do anything. A person reads its own name and decides.
 */
export const kindUnknown = "landline/kind-unknown";
