import type { ThemeRegistration } from "shiki/core";

/** The token kinds that have a colour in code.css. The tokeniser represents them as fake hex colours. */
export const codeKinds = [
  "comment",
  "keyword",
  "string",
  "number",
  "function",
  "type",
  "tag",
  "property",
  "inserted",
  "deleted",
  "strong",
] as const;

export type CodeKind = (typeof codeKinds)[number];

const scopes: Readonly<Record<CodeKind, readonly string[]>> = {
  comment: ["comment", "punctuation.definition.comment", "meta.diff.header", "meta.diff.range"],
  keyword: [
    "keyword",
    "storage",
    "keyword.operator.new",
    "keyword.operator.expression",
    "variable.language",
    "constant.language",
    "entity.name.function.preprocessor",
    "meta.preprocessor",
  ],
  string: [
    "string",
    "constant.character",
    "punctuation.definition.string",
    "markup.inline.raw",
    "markup.fenced_code",
    "constant.other.symbol",
  ],
  number: ["constant.numeric", "constant.other.color", "keyword.other.unit"],
  function: ["entity.name.function", "support.function", "meta.function-call.generic"],
  type: [
    "entity.name.type",
    "entity.name.class",
    "entity.name.namespace",
    "entity.other.inherited-class",
    "support.type",
    "support.class",
    "storage.type.primitive",
    "keyword.type",
  ],
  tag: ["entity.name.tag", "punctuation.definition.tag", "entity.name.section"],
  property: [
    "support.type.property-name",
    "entity.other.attribute-name",
    "variable.other.property",
    "variable.other.object.property",
    "meta.object-literal.key",
    "keyword.other.definition.ini",
    "entity.name.tag.yaml",
    "variable.other.constant",
  ],
  inserted: ["markup.inserted", "punctuation.definition.inserted"],
  deleted: ["markup.deleted", "punctuation.definition.deleted"],
  strong: ["markup.bold", "markup.heading"],
};

/** Scopes without a colour of their own. */
const plainScopes = [
  "keyword.operator",
  "punctuation",
  "variable",
  "storage.type.function.arrow",
  "string.unquoted.argument.shell",
];

export const codeTheme: ThemeRegistration = {
  name: "landline",
  type: "light",
  fg: "#000000",
  bg: "#ffffff",
  settings: [
    { settings: { foreground: "#000000", background: "#ffffff" } },
    { scope: [...plainScopes], settings: { foreground: "#000000" } },
    ...codeKinds.map((kind, index) => ({
      scope: [...scopes[kind]],
      settings: { foreground: numberOf(index) },
    })),
  ],
};

const kindOfNumber = new Map(codeKinds.map((kind, index) => [numberOf(index), kind]));

export function kindOf(color: string | undefined): CodeKind | null {
  return kindOfNumber.get((color ?? "").toLowerCase()) ?? null;
}

function numberOf(index: number): string {
  return `#0000${(index + 1).toString(16).padStart(2, "0")}`;
}
