/** The beginnings of the system prompts for titles and summaries, by which the demo model recognises them. */
export const TITLE_PROMPT = "You name conversations";
export const SUMMARY_PROMPT = "You summarise conversations";
