import type { ProgramTable } from "../arguments/program-spec.ts";
import { mysql, postgresDump, psql, redis } from "./database-clients.ts";
import { prints } from "./spec-builders.ts";
import { sqlite } from "./sqlite.ts";
import { mentions } from "./word-helpers.ts";

/** Clients and tools of databases. */
export const databases: ProgramTable = {
  psql,
  "pg_dump|pg_dumpall": postgresDump,
  pg_isready: {
    effects: "network",
    options:
      "-q -d= -h=host -p= -t= -U= --dbname= --host=host --port= --timeout= --username= --quiet --version --help",
  },
  "createdb|dropdb|createuser|dropuser|vacuumdb|reindexdb|clusterdb|pg_restore|pg_basebackup|pgbench|pgcli|pg_ctl|initdb|postgres|pg_upgrade|pg_ctlcluster|pg_createcluster":
    prints("--version -V", mentions("execute network system write")),
  "mysql|mariadb": mysql,
  "mysqldump|mariadb-dump|mysqladmin|mariadb-admin|mysqlimport|mysqlcheck|mysqlsh|mycli|mysqld|mariadbd|mysqld_safe|mydumper|myloader":
    prints("--version -V", mentions("execute network write")),
  "sqlite3|sqlite": sqlite,
  "sqlcipher|litecli|sqldiff|sqlite-utils|datasette|libsql|rqlite": mentions("execute write"),
  // A table of DuckDB may be any file or URL, and a statement may load an extension.
  duckdb: prints("-version --version", mentions("execute network write")),
  "redis-cli|valkey-cli|keydb-cli": redis,
  "redis-server|valkey-server|redis-benchmark|memcached": mentions("network system"),
  "mongosh|mongo|mongodump|mongorestore|mongoexport|mongoimport|mongod|mongostat|mongotop|mongofiles|bsondump":
    prints("--version", mentions("execute network write")),
  "cqlsh|clickhouse|clickhouse-client|clickhouse-local|influx|sqlcmd|bcp|sqlplus|cockroach|usql|cypher-shell|neo4j|neo4j-admin|arangosh|surreal|isql|isql-fb|osql|tsql|db2|bteq|snowsql|trino|presto|beeline|hive|spark-sql|spark-submit|spark-shell|influxd|nats|kafka-topics|kcat|rabbitmqctl|mosquitto_pub|mosquitto_sub":
    mentions("execute network write"),
  "liquibase|flyway|dbmate|atlas|migrate|sqitch|sqlx|diesel|sea-orm-cli|pgloader|hasura":
    mentions("execute network project"),
};
