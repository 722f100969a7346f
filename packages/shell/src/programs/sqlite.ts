import { readCommand } from "../arguments/read-command.ts";
import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import type { Word } from "../parse/word.ts";
import { prints } from "./spec-builders.ts";
import { rest } from "./word-helpers.ts";

/** Commands of the client that show tables and their columns, or set how results are shown. */
const showing =
  /^\.(?:tables|schema|indexes|indices|databases|headers?|mode|show|width|nullvalue|separator)(?:\s+[\w%*.,"'| -]*)?$/;
const pragma =
  /^pragma\s+(?:\w+\.)?(?:table_info|table_xinfo|table_list|index_list|index_info|foreign_key_list|database_list|user_version|schema_version|page_count|page_size|encoding)\s*(?:\(\s*["'\w]*\s*\))?;?$/i;

function checkStatement(text: string, record: Recorder): void {
  const statement = text.trim();
  if (statement === "" || showing.test(statement) || pragma.test(statement)) return;
  if (/^\.\s*(?:sh|sy)/i.test(statement)) record.effect("execute");
  // A query can read any file, even with `-readonly` and `-safe`, through the table `fsdir`.
  record.fail("what the statement does is not analysed");
}

function check(parsed: ParsedArguments, record: Recorder): void {
  const [database, ...statements] = parsed.operands;
  for (const { text } of statements) checkStatement(text, record);
  for (const text of parsed.values("-cmd")) checkStatement(text, record);
  if (statements.length === 0) record.fail("it reads statements from its input");
  if (database && !/^(?::memory:)?$/.test(database.text))
    recordDatabase(database, parsed.has("-readonly"), record);
}

function recordDatabase(database: Word, isReadOnly: boolean, record: Recorder): void {
  if (/^file:/i.test(database.text)) return record.fail("the database is named by a URL");
  if (!isReadOnly) return record.path(database, "write");
  record.path(database, "read");
  // A database with a write-ahead log gets these files even when it is only read.
  for (const suffix of ["-wal", "-shm"])
    record.path({ ...database, text: database.text + suffix }, "write");
}

const spec: ProgramSpec = {
  options: `-readonly -safe -nofollow -bail -batch -echo -header -noheader -ascii -box -column -csv -html -json -line -list
    -markdown -quote -table -tabs -stats -separator= -newline= -nullvalue= -mmap= -cmd= -init=execute -vfs=execute`,
  operands: "text*",
  style: "dash",
  check,
};

/** Long options may have one dash or two. */
export const sqlite: ProgramSpec = prints("-version --version -help --help", {
  ...spec,
  read: (words, record) =>
    readCommand(
      spec,
      words.map((word) => (/^--\w/.test(word.text) ? rest(word, 1) : word)),
      record,
    ),
});
