import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord } from "../parse/word.ts";
import { isReadingQuery } from "./sql-query.ts";
import { prints } from "./spec-builders.ts";

/** A server: a host name, or the folder or file of its socket. */
function server(text: string, record: Recorder): void {
  if (/^[/.~]/.test(text)) record.path(fixedWord(text), "write");
  else if (text !== "") record.host(fixedWord(text));
}

/** A database: a name, a URL, or settings such as `host=x sslkey=y`. */
function database(text: string, record: Recorder): void {
  if (/^\w+:\/\//.test(text)) {
    record.host(fixedWord(text.replace(/\?.*$/s, "")));
    if (text.includes("?")) record.fail("the settings in the URL are not analysed");
  } else if (text.includes("=")) {
    const host = /(?:^|\s)host(?:addr)?\s*=\s*'?([^\s']+)/.exec(text)?.[1];
    if (host !== undefined) server(host, record);
    record.fail("the settings of the connection are not analysed");
  }
}

function statements(texts: readonly string[], record: Recorder): void {
  for (const text of texts) {
    if (/\\|\bsystem\b|\bprogram\b/i.test(text)) record.effect("execute");
    if (!isReadingQuery(text)) record.fail("what the statement does is not analysed");
  }
}

function checkPsql(parsed: ParsedArguments, record: Recorder): void {
  const commands = parsed.values("-c", "--command");
  statements(commands, record);
  checkSettings(parsed, record);
  for (const host of parsed.values("-h", "--host")) server(host, record);
  const [name] = parsed.operands;
  for (const text of [...parsed.values("-d", "--dbname"), ...(name ? [name.text] : [])])
    database(text, record);
  if (parsed.has("-f", "--file")) {
    record.effect("execute");
    record.fail("what the file of statements does is not analysed");
  }
  for (const output of parsed.values("-o", "--output")) {
    if (!output.trim().startsWith("|")) record.path(fixedWord(output), "write");
    else record.effect("execute");
  }
  if (commands.length === 0 && !parsed.has("-l", "--list", "-f", "--file"))
    record.fail("it reads statements from its input");
}

/** Variables and output settings that run nothing; others set a prompt or a pager. */
const harmlessVariable =
  /^(?:ON_ERROR_STOP|ON_ERROR_ROLLBACK|VERBOSITY|ECHO|QUIET|FETCH_COUNT|HISTSIZE)(?:=|$)/;
const harmlessFormat =
  /^(?:pager=(?:off|0)|border=\d|format=\w+|null=.*|footer(?:=\w+)?|tuples_only(?:=\w+)?|expanded(?:=\w+)?|columns=\d+|linestyle=\w+)$/;

function checkSettings(parsed: ParsedArguments, record: Recorder): void {
  const variables = parsed.values("-v", "--set", "--variable");
  const formats = parsed.values("-P", "--pset");
  if (
    !variables.every((text) => harmlessVariable.test(text)) ||
    !formats.every((text) => harmlessFormat.test(text))
  )
    record.fail("a setting of psql is not known");
}

export const psql: ProgramSpec = prints("--version -V --help -?", {
  effects: "network",
  options: `-abeEnqsSAHtxz01wWXl -c= -d= -f=read -F= -h= -L=write -o= -p= -P= -R= -T= -U= -v=
    --command= --dbname= --file=read --list --no-psqlrc --single-transaction --echo-all --echo-errors --echo-queries
    --echo-hidden --log-file=write --no-readline --output= --quiet --single-step --single-line --no-align --csv
    --field-separator= --html --pset= --record-separator= --tuples-only --table-attr= --expanded
    --field-separator-zero --record-separator-zero --host= --port= --username= --no-password --password --set=
    --variable=`,
  operands: "text text",
  check: checkPsql,
});

function checkMysql(parsed: ParsedArguments, record: Recorder): void {
  const commands = parsed.values("-e", "--execute");
  statements(commands, record);
  for (const host of parsed.values("-h", "--host")) server(host, record);
  if (commands.length === 0) record.fail("it reads statements from its input");
}

// `--pager`, `--plugin-dir` and settings files load or run programs.
export const mysql: ProgramSpec = prints("--version -V --help -?", {
  effects: "network",
  options: `-ABCEGHNnqrstvXwf -D= -e= -h= -P= -p=? -S=write -u= --batch --column-names --skip-column-names --compress --database=
    --default-character-set= --execute= --force --host= --html --no-auto-rehash --password=? --port= --protocol= --quick
    --raw --silent --socket=write --ssl --skip-ssl --ssl-mode= --ssl-ca=read --ssl-cert=read --ssl-key=read --table --tee=write
    --user= --verbose --vertical --wait --xml --connect-timeout= --pager=execute --plugin-dir=execute
    --defaults-file=execute --defaults-extra-file=execute --init-command=unknown`,
  operands: "text",
  check: checkMysql,
});

/** Writes the content of a database to its output or to a file. */
export const postgresDump: ProgramSpec = prints("--version -V --help -?", {
  effects: "network",
  options: `-abBcCOsvxwW -d= -e= -E= -f=write -F= -h= -j= -n= -N= -p= -S= -t= -T= -U= -Z= --data-only --schema-only --clean --create
    --if-exists --no-owner --no-privileges --no-acl --inserts --column-inserts --dbname= --file=write --format= --host= --jobs=
    --schema= --exclude-schema= --table= --exclude-table= --port= --username= --no-password --verbose --compress=
    --no-comments --section= --lock-wait-timeout= --role=`,
  operands: "text",
  check: (parsed, record) => {
    for (const host of parsed.values("-h", "--host")) server(host, record);
    const [name] = parsed.operands;
    for (const text of [...parsed.values("-d", "--dbname"), ...(name ? [name.text] : [])])
      database(text, record);
  },
});

const redisReading = new Set(
  `ping echo get mget strlen exists ttl pttl type keys scan dbsize info time lastsave randomkey hget hgetall hkeys hlen hmget hvals
  hexists llen lrange lindex scard smembers sismember srandmember zcard zrange zscore zcount zrank xlen xrange xinfo
  getrange bitcount pfcount role`.split(/\s+/),
);

export const redis: ProgramSpec = prints("--version -v --help", {
  effects: "network",
  options: `-c23 -a= -h= -i= -n= -p= -r= -s=write -u= -d= --user= --pass= --raw --no-raw --csv --json --quoted-json --tls --sni= --cacert=read
    --cacertdir=name --cert=read --key=read --insecure --no-auth-warning --scan --pattern= --bigkeys --memkeys --hotkeys --stat
    --latency --latency-history --count= --verbose --intrinsic-latency= -x -X= --rdb=write --functions-rdb=write -e`,
  style: "posix",
  operands: "text*",
  check: (parsed, record) => {
    for (const host of parsed.values("-h", "-u")) server(host, record);
    const [command] = parsed.operands;
    const isScan = parsed.has(
      "--scan",
      "--bigkeys",
      "--memkeys",
      "--hotkeys",
      "--stat",
      "--latency",
      "--latency-history",
    );
    if (command && redisReading.has(command.text.toLowerCase())) record.verbs.push(command.text);
    else if (command || !isScan) record.fail("what the server would do is not analysed");
  },
});
