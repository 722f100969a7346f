/** How the system prompts of the small jobs begin. The demo model tells them apart by this. */
export const TITLE_PROMPT = "You name conversations";
export const SUMMARY_PROMPT = "You summarise conversations";
