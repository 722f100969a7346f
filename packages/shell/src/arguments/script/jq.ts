import type { Word } from "../../parse/word.ts";
import type { Recorder } from "../recorder.ts";

const names = new Set(
  (
    "if then elif else end as and or not reduce foreach def try catch label break true false null " +
    "length utf8bytelength keys keys_unsorted has in map map_values path paths leaf_paths del to_entries from_entries " +
    "with_entries select empty error recurse recurse_down add any all flatten range floor sqrt pow log tostring " +
    "tonumber tojson fromjson type infinite nan isinfinite isnan isnormal sort sort_by group_by min max min_by max_by " +
    "unique unique_by reverse contains inside startswith endswith combinations ltrimstr rtrimstr trim ltrim rtrim " +
    "explode implode split join ascii_downcase ascii_upcase while until repeat first last nth limit test match capture " +
    "scan splits sub gsub ascii todate fromdate now strftime strptime mktime gmtime tojson indices index rindex inputs " +
    "input getpath setpath delpaths walk transpose bsearch arrays objects iterables booleans numbers normals finites " +
    "strings nulls values scalars isvalid abs toarray pick have_literal_numbers ceil round " +
    "tostream fromstream truncate_stream isempty debug localtime strflocaltime todateiso8601 fromdateiso8601 IN INDEX"
  ).split(" "),
);

// In some versions, a backslash at the end of a line continues a comment.
const token =
  /\s+|#[^\n\r\\]*|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\.|\.[A-Za-z_]\w*|\.|\$(?!__)[a-z_]\w*|@(?:text|json|csv|tsv|html|uri|sh|base32d?|base64d?)|[A-Za-z_]\w*|\/\/=?|[|,:;?()[\]{}]|[-+*/%<>=!]=?|\|=/y;

/** Part of a string: up to its end, or up to the filter between `\(` and `)`. */
const piece = /(?:\\[^(]|[^"\\])*(?:"|\\\()/y;

/** Accepts filters made of known functions. `env`, `$ENV` and modules are not among them. */
export function readJq(word: Word, record: Recorder): void {
  if (word.known !== "fixed") return record.fail("its jq filter is not known before it runs");
  if (!isHarmless(word.text)) record.fail("its jq filter may read variables or load modules");
}

function isHarmless(text: string): boolean {
  /** Open brackets; `\(` begins a filter inside a string. */
  const open: string[] = [];
  let before = "";
  let at = 0;
  while (at < text.length) {
    const isString = text[at] === '"';
    const endsFilter = text[at] === ")" && open.at(-1) === "\\(";
    const pattern = isString || endsFilter ? piece : token;
    pattern.lastIndex = pattern === piece ? at + 1 : at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined || found === "") return false;
    if (endsFilter) open.pop();
    if (pattern === piece) {
      if (found.endsWith("(")) open.push("\\(");
      before = '"';
      at += 1 + found.length;
      continue;
    }
    const isKey = open.at(-1) === "{" && isKeyBetween(before, text.slice(at + found.length));
    if (isKey && operatorsOfYq.test(found)) return false;
    if (/^(?:[([{]|if)$/.test(found) && !isKey) open.push(found);
    const start = isKey ? undefined : starts.get(found);
    if (start !== undefined && open.pop() !== start) return false;
    if (/^[A-Za-z_]/.test(found) && !names.has(found) && !isKey) return false;
    if (!/^[\s#]/.test(found)) before = found;
    at += found.length;
  }
  return open.length === 0;
}

/** The yq written in Go treats these as operators everywhere. */
const operatorsOfYq = /^(?:envsubst|strenv|load\w*|eval)$/;

/** The opening token for a closing one. Between `if` and `end`, a comma does not separate keys. */
const starts: ReadonlyMap<string, string> = new Map([
  [")", "("],
  ["]", "["],
  ["}", "{"],
  ["end", "if"],
]);

/** Whether a name is a key of an object: `{name: …}` or `{name}`. */
function isKeyBetween(before: string, after: string): boolean {
  return /^[{,]$/.test(before) && /^\s*[:,}]/.test(after);
}
