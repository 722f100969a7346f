import { describe, expect, it } from "vitest";
import { hostsOf, pathsOf, summary } from "../../test/line-summary.ts";

describe("PostgreSQL", () => {
  it.each([
    ["psql --version", "read-only"],
    ["psql -c 'select 1'", "network"],
    ["psql -Atc 'select 1;' -v ON_ERROR_STOP=1 -P pager=off", "network"],
    ["psql -l", "network"],
    [String.raw`psql -c '\! id'`, "execute network unknown"],
    [String.raw`psql -c '\copy t from x'`, "execute network unknown"],
    [String.raw`psql -c 'select 1 \g |id'`, "execute network unknown"],
    [`psql -c "copy t to program 'id'"`, "execute network unknown"],
    [`psql -c "select pg_read_file('/etc/passwd')"`, "network unknown"],
    [`psql -c "select lo_export(1, '/x')"`, "network unknown"],
    ["psql -c 'select 1; drop table t'", "network unknown"],
    ["psql -c 'with x as (delete from t returning 1) select 1'", "network unknown"],
    ["psql -c 'explain analyze insert into t values (1)'", "network unknown"],
    ["psql -f x.sql", "execute network unknown"],
    ["psql", "network unknown"],
    ["psql -o '|id' -c 'select 1'", "execute network"],
    ["psql -v PROMPT1=x -c 'select 1'", "network unknown"],
    ["psql --comm='select 1'", "network unknown"],
    ["psql 'postgres://h.example/db?sslkey=x' -l", "network unknown"],
    ["psql 'host=h.example passfile=x' -l", "network unknown"],
    ["pg_dump db", "network"],
    ["pg_dump -f x db", "network write"],
    ["pg_isready -h h.example", "network deviation"],
    ["dropdb x", "execute network system write unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names paths and hosts", () => {
    expect(pathsOf("psql -L log -o out -c 'select 1'")).toStrictEqual(["write log", "write out"]);
    expect(pathsOf("psql -h /run/postgresql -l")).toStrictEqual(["write /run/postgresql"]);
    expect(hostsOf("psql -h h.example -l")).toStrictEqual(["h.example"]);
    expect(hostsOf("psql postgres://u:p@h.example:5433/db -l")).toStrictEqual(["h.example:5433"]);
    expect(hostsOf("psql -d 'host=h.example' -l")).toStrictEqual(["h.example"]);
  });
});

describe("SQLite", () => {
  it.each([
    ["sqlite3 -version", "read-only"],
    ["sqlite3 a.db .tables", "write"],
    ["sqlite3 --readonly -json a.db .tables '.mode csv' 'pragma table_info(t)'", "write"],
    ["sqlite3 -cmd '.mode csv' a.db .schema", "write"],
    // Any file can be a table: `select data from fsdir where path = '/etc/passwd'`.
    ["sqlite3 -readonly -safe a.db 'select * from t'", "write unknown"],
    ["sqlite3 a.db", "write unknown"],
    ["sqlite3 a.db .dump", "write unknown"],
    ["sqlite3 a.db '.shell id'", "execute write unknown"],
    ["sqlite3 a.db '.sy id'", "execute write unknown"],
    ["sqlite3 a.db .tables '.read x'", "write unknown"],
    ["sqlite3 a.db '.output x'", "write unknown"],
    [String.raw`sqlite3 a.db $'.tables\n.shell id'`, "write unknown"],
    [`sqlite3 a.db "attach '/x' as y"`, "write unknown"],
    ["sqlite3 a.db 'pragma user_version = 3'", "write unknown"],
    ["sqlite3 -cmd '.shell id' a.db .tables", "execute write unknown"],
    ["sqlite3 -init x a.db .tables", "execute write deviation"],
    ["sqlite3 -vfs x a.db .tables", "execute write deviation"],
    ["sqlite3 -A a.db", "unknown"],
    ["sqlite3 'file:a?mode=rwc' .tables", "unknown"],
    ["sqlite3 $DB .tables", "write unknown"],
    ["sqlite3 :memory: .tables", "read-only"],
    ["duckdb -c 'select 1'", "execute network write unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names the database and the files beside it", () => {
    expect(pathsOf("sqlite3 a.db .tables")).toStrictEqual(["write a.db"]);
    expect(pathsOf("sqlite3 -readonly a.db .tables")).toStrictEqual([
      "read a.db",
      "write a.db-wal",
      "write a.db-shm",
    ]);
    expect(pathsOf("sqlite3 :memory: .tables")).toStrictEqual([]);
  });
});

describe("other databases", () => {
  it.each([
    ["mysql --version", "read-only"],
    ["mysql -h h.example -uroot -psecret -e 'show tables' db", "network"],
    ["mysql -e 'system id'", "execute network unknown"],
    [String.raw`mysql -e '\! id'`, "execute network unknown"],
    [`mysql -e "select 1 into outfile '/x'"`, "network unknown"],
    [`mysql -e "select load_file('/x')"`, "network unknown"],
    ["mysql --pager=id -e 'select 1'", "execute network deviation"],
    ["mysql --defaults-file=x -e 'select 1'", "execute network deviation"],
    ["mysql --defaults-fi=x -e 'select 1'", "network unknown"],
    ["mysql db", "network unknown"],
    ["mysqldump db", "execute network write unknown"],
    ["redis-cli get x", "network"],
    ["redis-cli -h h.example PING", "network"],
    ["redis-cli --scan --pattern 'a*'", "network"],
    ["redis-cli config set dir /x", "network unknown"],
    ["redis-cli --eval x.lua", "network unknown"],
    ["redis-cli --rdb x", "network write unknown"],
    ["redis-cli", "network unknown"],
    ["mongosh --eval 'x'", "execute network write unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names hosts", () => {
    expect(hostsOf("mysql -h h.example -e 'select 1'")).toStrictEqual(["h.example"]);
    expect(hostsOf("redis-cli -u redis://h.example:6379 ping")).toStrictEqual(["h.example:6379"]);
    expect(hostsOf("mongosh mongodb://h.example/x")).toStrictEqual(["h.example"]);
  });
});
