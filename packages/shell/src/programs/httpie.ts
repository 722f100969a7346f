import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";
import { prints } from "./spec-builders.ts";
import { recordUrl } from "./urls.ts";
import { part } from "./word-helpers.ts";

// `-h` shows headers in httpie and help in xh.
const options = `-jfxhmbvSqFI46 --json --form --multipart --boundary= --raw= --compress --pretty= --style= -s= --unsorted
  --sorted --response-charset= --response-mime= --format-options= --print= -p= --headers --meta --body --verbose --all
  --stream -a= --auth= --auth-type= -A= --bearer= --ignore-netrc --offline --follow --max-redirects= --max-headers=
  --timeout= --check-status --no-check-status --path-as-is --chunked --verify= --ssl= --ciphers= --cert=read
  --cert-key=read --cert-key-pass= --ignore-stdin --traceback --debug --quiet --history-print= -P= --http-version=
  --default-scheme= --https --curl --curl-long -o=write --output=write -d!write --download!write -c --continue
  --session= --session-read-only= --proxy= --unix-socket=write`;

const separators = [":=@", "==@", ":@", "=@", ":=", "==", "@", ":", "="] as const;

/** A request item. `name@file`, `name=@file`, `name:@file` and similar items read a file. */
function item(word: Word, record: Recorder): void {
  const { text } = word;
  if (text.includes("\\")) return record.fail(`the item ${text} can be read in two ways`);
  const at = text.search(/[:=@]/);
  const separator = separators.find((sign) => at !== -1 && text.startsWith(sign, at));
  if (!separator?.endsWith("@")) return;
  record.path(part(word, text.slice(at + separator.length).replace(/;.*$/s, "")), "read");
  record.deviate(`it sends a file with ${text}`);
}

/** `:3000/x` is a URL on localhost, and a leading `://` is ignored. */
function target(word: Word): Word {
  const text = word.text.replace(/^:\/\//, "");
  if (!text.startsWith(":")) return part(word, text);
  return part(
    word,
    text.replace(/^:(\d*)/, (_, port: string) => `localhost${port && `:${port}`}`),
  );
}

function check(parsed: ParsedArguments, record: Recorder): void {
  const [first, second, ...others] = parsed.operands;
  const isMethod = second !== undefined && /^[a-z]+$/i.test(first?.text ?? "");
  const url = isMethod ? second : first;
  if (url) {
    record.verbs.push(url.text);
    recordUrl(target(url), record);
  }
  const items = isMethod ? others : [...(second ? [second] : []), ...others];
  for (const word of items) item(word, record);
  if (parsed.has("-d", "--download") && !parsed.has("-o", "--output"))
    record.fail("the server decides which file is written");
  for (const session of parsed.values("--session", "--session-read-only"))
    if (session.includes("/")) record.path(fixedWord(session), "write");
  for (const verify of parsed.values("--verify"))
    if (!/^(?:yes|no|true|false)$/i.test(verify)) record.path(fixedWord(verify), "load");
  for (const proxy of parsed.values("--proxy")) {
    record.deviate("it goes through a proxy");
    recordUrl(fixedWord(proxy.replace(/^\w+:(?=\w+:\/\/)/, "")), record);
  }
  if (parsed.values("--default-scheme").some((scheme) => !/^https?$/.test(scheme)))
    record.fail("the scheme of its URLs is not known");
}

export const httpie: ProgramSpec = prints("--version --help", {
  effects: "network",
  options,
  operands: "text*",
  check,
});
