import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";
import { prints } from "./spec-builders.ts";
import { fileNameIn, recordUrl } from "./urls.ts";
import { part, rest } from "./word-helpers.ts";

// `--variable`, `--expand-*`, `--ntlm-wb` and `--metalink` read or run what the line does not name, and are not listed.
const options = `-# -0123446 -afgiGIjklLMNpqRsSvZB: --next
  --anyauth --append --basic --cert-status --compressed --compressed-ssh --crlf --digest --disable --disable-eprt
  --disable-epsv --disallow-username-in-url --fail --fail-early --fail-with-body --false-start --form-escape
  --ftp-create-dirs --ftp-pasv --ftp-pret --ftp-skip-pasv-ip --ftp-ssl-ccc --ftp-ssl-control --get --globoff --head
  --http0.9 --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --http3-only --ignore-content-length --include
  --insecure --ipv4 --ipv6 --junk-session-cookies --list-only --location --location-trusted --negotiate --no-alpn
  --no-buffer --no-clobber --no-keepalive --no-npn --no-progress-meter --no-sessionid --ntlm --parallel
  --parallel-immediate --path-as-is --post301 --post302 --post303 --progress-bar --proxy-anyauth --proxy-basic
  --proxy-digest --proxy-insecure --proxy-negotiate --proxy-ntlm --proxytunnel --raw --remote-time --retry-all-errors
  --retry-connrefused --sasl-ir --show-error --silent --no-silent --socks5-basic --socks5-gssapi --ssl --ssl-reqd
  --ssl-no-revoke --styled-output --no-styled-output --suppress-connect-headers --tcp-fastopen --tcp-nodelay --tlsv1
  --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tr-encoding --trace-time --trace-ids --use-ascii --verbose --no-location
  -A= --user-agent= -C= --continue-at= -e= --referer= -m= --max-time= -P= --ftp-port= -Q= --quote= -r= --range= -t=
  --telnet-option= -u= --user= -U= --proxy-user= -X= --request= -y= --speed-time= -Y= --speed-limit= --aws-sigv4=
  --cert-type= --ciphers= --connect-timeout= --create-file-mode= --curves= --data-raw= --delegation= --dns-interface=
  --dns-ipv4-addr= --dns-ipv6-addr= --expect100-timeout= --form-string= --ftp-account= --ftp-method=
  --happy-eyeballs-timeout-ms= --interface= --keepalive-time= --key-type= --limit-rate= --local-port= --login-options=
  --mail-auth= --mail-from= --mail-rcpt= --max-filesize= --max-redirs= --noproxy= --oauth2-bearer= --parallel-max=
  --pass= --proto= --proto-redir= --proxy-pass= --proxy-ciphers= --rate= --request-target= --retry= --retry-delay=
  --retry-max-time= --sasl-authzid= --service-name= --tls-max= --tls13-ciphers= --tlsuser= --tlspassword= --tlsauthtype=
  -d= --data= --data-ascii= --data-binary= --json= --data-urlencode= --url-query= -F= --form= -H= --header=
  --proxy-header= -b= --cookie= -w= --write-out= -E= --cert= --proxy-cert= --pinnedpubkey= --proxy-pinnedpubkey=
  --url= --resolve= --connect-to= --proto-default= --dns-servers= -T= --upload-file=
  -x=host --proxy=host --preproxy=host --proxy1.0=host --socks4=host --socks4a=host --socks5=host
  --socks5-hostname=host --doh-url=host --unix-socket=write --abstract-unix-socket=
  -K=load --config=load --engine=execute --cacert=read --capath=name --proxy-cacert=read --proxy-capath=name
  --crlfile=read --proxy-crlfile=read --key=read --proxy-key=read --pubkey=read --netrc-file=read -n --netrc
  --netrc-optional --random-file=read --egd-file=name --etag-compare=read --etag-save=write -z=name --time-cond=name
  -o=write --output=write --output-dir=write --create-dirs!write --remove-on-error!delete --xattr!write
  -O!write --remote-name!write --remote-name-all!write -J --remote-header-name -c=write --cookie-jar=write
  -D=write --dump-header=write --alt-svc=write --hsts=write --libcurl=write --stderr=write --trace=write
  --trace-ascii=write`;

/** A rule for a URL does not cover files that are sent there. */
const send = (word: Word, record: Recorder): void => {
  record.path(word, "read");
  if (word.text !== "-") record.deviate(`it sends ${word.text}`);
};

/** `@file`, or literal text. */
const atFile = (word: Word, record: Recorder): void => {
  if (word.text.startsWith("@")) send(rest(word, 1), record);
};

/** `name@file`; with an equals sign it is text. */
const encoded = (word: Word, record: Recorder): void => {
  const at = word.text.indexOf("@");
  if (!word.text.includes("=") && at !== -1) send(rest(word, at + 1), record);
};

/** `name=@file,file;type=x` or `name=<file`. */
const form = (word: Word, record: Recorder): void => {
  const start = word.text.indexOf("=") + 1;
  if (!/^[@<]/.test(word.text.slice(start))) return;
  const files = word.text.slice(start + 1);
  if (/["\\]/.test(files)) return record.fail(`the files of ${word.text} are not known`);
  for (const file of files.split(",")) send(part(word, file.replace(/;.*$/s, "")), record);
};

/** A certificate with its password behind a colon. */
const certificate = (word: Word, record: Recorder): void => {
  if (word.text.startsWith("pkcs11:")) return record.effect("execute");
  record.path(word, "read");
  const colon = word.text.indexOf(":");
  if (colon !== -1) record.path(part(word, word.text.slice(0, colon)), "read");
};

const pinned = (word: Word, record: Recorder): void => {
  if (!word.text.startsWith("sha256//")) record.path(word, "read");
};

const cookie = (word: Word, record: Recorder): void => {
  if (!word.text.includes("=") && word.text !== "") send(word, record);
};

const writeOut = (word: Word, record: Recorder): void => {
  if (word.text.startsWith("@")) {
    record.path(rest(word, 1), "read");
    return record.fail(`the format in ${word.text} may write files`);
  }
  for (const [, file = ""] of word.text.matchAll(/%output\{(?:>>)?([^}]*)\}/g))
    record.path(fixedWord(file), "write");
};

/** Connects to other hosts than those in the URL. */
const redirected = (pieces: number) => (word: Word, record: Recorder) => {
  record.deviate(`it goes to ${word.text}`);
  const target = word.text.split(":").slice(pieces).join(":");
  for (const one of target.split(",")) if (one !== "" && one !== ":") record.host(fixedWord(one));
};

const values: ReadonlyMap<string, (word: Word, record: Recorder) => void> = new Map(
  (
    [
      ["-d --data --data-ascii --data-binary --json -H --header --proxy-header", atFile],
      ["--data-urlencode --url-query", encoded],
      ["-F --form", form],
      ["-T --upload-file", send],
      ["-E --cert --proxy-cert", certificate],
      ["--pinnedpubkey --proxy-pinnedpubkey", pinned],
      ["-b --cookie", cookie],
      ["-w --write-out", writeOut],
      ["--resolve", redirected(2)],
      ["--connect-to", redirected(2)],
      ["--dns-servers", redirected(0)],
    ] as const
  ).flatMap(([names, act]) => names.split(" ").map((name) => [name, act] as const)),
);

const proxies =
  "-x --proxy --preproxy --proxy1.0 --socks4 --socks4a --socks5 --socks5-hostname --doh-url".split(
    " ",
  );

function check(parsed: ParsedArguments, record: Recorder): void {
  for (const { name, value } of parsed.options)
    if (value && value.known !== "open") values.get(name)?.(value, record);
  if (parsed.has("-K", "--config")) record.fail("it takes options from a file");
  if (parsed.values("--proto-default").some((scheme) => !/^https?$/i.test(scheme)))
    record.fail("the scheme of its URLs is not known");
  if (parsed.has("-n", "--netrc", "--netrc-optional"))
    record.path({ ...fixedWord("~/.netrc"), isTilde: true }, "read");
  if (parsed.has(...proxies)) record.deviate("it goes through a proxy");
  checkAddresses(parsed, record);
  checkOutputs(parsed, record);
}

const urlsOf = (parsed: ParsedArguments): Word[] => [
  ...parsed.operands,
  ...parsed.options.flatMap(({ name, value }) => (name === "--url" && value ? [value] : [])),
];

function checkAddresses(parsed: ParsedArguments, record: Recorder): void {
  const globs = !parsed.has("-g", "--globoff");
  const uploads = parsed.values("-T", "--upload-file");
  for (const word of urlsOf(parsed)) {
    record.verbs.push(word.text);
    if (word.text.startsWith("@")) {
      record.path(rest(word, 1), "read");
      record.fail(`its addresses are in ${word.text}`);
    } else {
      recordUrl(word, record, { globs });
      if (uploads.length > 0 && /^file:/i.test(word.text))
        recordUrl(word, record, { file: "write" });
    }
  }
  if (globs && uploads.some((file) => /[{}[\]]/.test(file)))
    record.fail("the name of an upload stands for several files");
}

/** Where downloads are stored, by option or by the URL. */
function checkOutputs(parsed: ParsedArguments, record: Recorder): void {
  const files = parsed.values("-o", "--output");
  if (files.some((file) => /#[\w<]/.test(file)))
    record.fail("the URL decides which file is written");
  if (parsed.has("-J", "--remote-header-name"))
    record.fail("the server decides which file is written");
  const named = parsed.has("-O", "--remote-name", "--remote-name-all")
    ? urlsOf(parsed).flatMap(({ text }) => fileNameIn(text) ?? [])
    : [];
  const folder = parsed.values("--output-dir").at(-1);
  const stored =
    folder === undefined ? named : [...files, ...named].map((file) => `${folder}/${file}`);
  for (const file of stored) record.path(fixedWord(file), "write");
}

export const curl: ProgramSpec = prints("--version -V --help -h --manual -M", {
  effects: "network",
  options,
  operands: "text*",
  check,
});
