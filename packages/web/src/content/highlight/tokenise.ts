import { createJavaScriptRegexEngine } from "@shikijs/engine-javascript";
import { createHighlighterCore, type GrammarState, type HighlighterCore } from "shiki/core";
import { grammars } from "./grammars.ts";
import type { Language } from "./languages.ts";
import { codeTheme, kindOf, type CodeKind } from "./theme.ts";

/** A piece of a line; null is plain. */
export type CodeToken = readonly [text: string, kind: CodeKind | null];

export type CodeLine = readonly CodeToken[];

const lineLengthMax = 2_000;
const linesAtOnce = 100;

let highlighter: Promise<HighlighterCore> | null = null;

/** Yields lines with their tokens in batches, so that the caller can stop in between. */
export async function* tokenise(
  text: string,
  language: Language,
): AsyncGenerator<readonly CodeLine[]> {
  highlighter ??= createHighlighterCore({
    themes: [codeTheme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const core = await highlighter;
  const { default: grammar } = await grammars[language]();
  await core.loadLanguage(grammar);
  const name = grammar.at(-1)?.name ?? language;
  const lines = text.split("\n");
  let state: GrammarState | undefined;
  for (let from = 0; from < lines.length; from += linesAtOnce) {
    const some = lines.slice(from, from + linesAtOnce);
    const tokens = core.codeToTokensBase(some.join("\n"), {
      lang: name,
      theme: "landline",
      tokenizeMaxLineLength: lineLengthMax,
      // The caller has its own time limit: the first lines of a language are slow, and a cut would give wrong
      // tokens.
      tokenizeTimeLimit: 0,
      ...(state === undefined ? {} : { grammarState: state }),
    });
    state = core.getLastGrammarState(tokens);
    yield tokens.map((line) => line.map(({ content, color }) => [content, kindOf(color)] as const));
  }
}
