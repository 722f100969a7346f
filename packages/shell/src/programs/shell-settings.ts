import type { Recorder } from "../arguments/recorder.ts";
import type { Word } from "../parse/word.ts";

/** Settings that affect when a script ends and what it prints, not the meaning of its words. */
const harmless = new Set("errexit nounset pipefail xtrace verbose noclobber".split(" "));

/** The name after `-o`; without one, the settings are printed. */
export function isHarmlessSetting(word: Word | undefined): boolean {
  return word?.known === "fixed" && harmless.has(word.text);
}

/** `set`: without words it prints every variable. */
export function readSet(words: readonly Word[], record: Recorder): void {
  if (words.length === 0) return record.effect("environment");
  for (let at = 0; at < words.length; at += 1) {
    const { text, known } = words[at] ?? { text: "", known: "open" };
    if (known !== "fixed") return record.fail("what it sets is not known before it runs");
    // The rest are values for `$1` and so on, which are always unknown.
    if (text === "--") return;
    if (!/^[-+][euxvC]*o?$/.test(text)) return record.fail(`the option ${text} is not known`);
    if (!text.endsWith("o")) continue;
    at += 1;
    if (words[at] && !isHarmlessSetting(words[at]))
      return record.fail("it changes a setting of the shell");
  }
}
