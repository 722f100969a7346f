import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord } from "../parse/word.ts";
import { prints } from "./spec-builders.ts";
import { fileNameIn, recordUrl } from "./urls.ts";

const options = `-46bcdEFHhkKLmNpqrSvx -n= -t= -T= -w= -Q= -U= -A= -R= -D= -I= -X= -l= -B= -e=
  --background --debug --quiet --verbose --no-verbose --report-speed= --force-html --base= --no-config --tries=
  --retry-connrefused --retry-on-http-error= --retry-on-host-error --no-clobber --no-netrc --continue --start-pos=
  --progress= --show-progress --timestamping --no-if-modified-since --no-use-server-timestamps --server-response
  --spider --timeout= --dns-timeout= --connect-timeout= --read-timeout= --wait= --waitretry= --random-wait --no-proxy
  --quota= --bind-address= --limit-rate= --no-dns-cache --restrict-file-names= --ignore-case --inet4-only --inet6-only
  --prefer-family= --user= --password= --no-iri --local-encoding= --remote-encoding= --unlink!delete
  --no-directories --force-directories --no-host-directories --protocol-directories --cut-dirs= --http-user=
  --http-password= --no-cache --default-page= --adjust-extension --ignore-length --header= --compression=
  --max-redirect= --proxy-user= --proxy-password= --referer= --save-headers --user-agent= --no-http-keep-alive
  --no-cookies --keep-session-cookies --post-data= --method= --body-data= --content-disposition --content-on-error
  --auth-no-challenge --secure-protocol= --https-only --no-check-certificate --certificate-type= --private-key-type=
  --ciphers= --no-hsts --ftp-user= --ftp-password= --no-remove-listing --no-glob --no-passive-ftp
  --preserve-permissions --retr-symlinks --recursive --level= --delete-after!delete --convert-links --convert-file-only
  --backups= --backup-converted --mirror --page-requisites --strict-comments --accept= --reject= --accept-regex=
  --reject-regex= --regex-type= --domains= --exclude-domains= --follow-ftp --follow-tags= --ignore-tags= --span-hosts
  --relative --include-directories= --trust-server-names --exclude-directories= --no-parent
  -O=write --output-document=write -o=write --output-file=write -a=write --append-output=write --rejected-log=write
  -P=write --directory-prefix=write --save-cookies=write --hsts-file=write -i=read --input-file=read
  --load-cookies=read --post-file=read --body-file=read --certificate=read --private-key=read --ca-certificate=read
  --ca-directory=name --crl-file=read --config=load --execute= --use-askpass=execute`;

/** With these options, the server decides which files are written. */
const manyFiles =
  `-r --recursive -m --mirror -p --page-requisites -x --force-directories --content-disposition
  --trust-server-names`.split(/\s+/);

function check(parsed: ParsedArguments, record: Recorder): void {
  for (const word of parsed.operands) {
    record.verbs.push(word.text);
    recordUrl(word, record);
  }
  if (parsed.has("--post-file", "--body-file", "--load-cookies")) record.deviate("it sends a file");
  const settings = parsed.values("-e", "--execute");
  if (settings.some((setting) => !/^robots\s*=\s*(?:on|off)$/.test(setting)))
    record.fail("it takes settings from the line that may run programs");
  if (parsed.has("--config")) record.fail("it takes settings from a file");
  if (parsed.has("-i", "--input-file")) record.fail("its URLs come from a file");
  if (parsed.values("-n").some((letters) => !/^[cdHpv]+$/.test(letters)))
    record.fail("an option that begins with -n is not known");
  recordFiles(parsed, record);
}

function recordFiles(parsed: ParsedArguments, record: Recorder): void {
  if (parsed.has("--spider", "-O", "--output-document")) return;
  record.effect("write");
  if (parsed.has(...manyFiles)) return record.fail("the server decides which files are written");
  const folder = parsed.values("-P", "--directory-prefix").at(-1) ?? ".";
  for (const { text } of parsed.operands)
    record.path(fixedWord(`${folder}/${fileNameIn(text) ?? "index.html"}`), "write");
}

export const wget: ProgramSpec = prints("--version -V --help -h", {
  effects: "network",
  options,
  operands: "text*",
  check,
});
