/**
 * Everything that SQLite holds. All of it is derived from the logs: a database of an older version is emptied, and
 * filled from the logs again. Raise the version with every change.
 */
export interface Schema {
  readonly version: number;
  readonly statements: string;
}

/** "LNDL": identifies databases of Landline. */
export const applicationId = 0x4c4e444c;

/** There is no prefix index: it would be as large as the index of words. */
export const schema: Schema = {
  version: 11,
  statements: `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  applied INTEGER NOT NULL,
  -- 1 from the moment that it is deleted until the last of its texts is erased.
  deleted INTEGER NOT NULL,
  cwd TEXT NOT NULL,
  parent TEXT,
  title TEXT,
  last_at INTEGER NOT NULL,
  -- The agent's own id of the session.
  agent_session TEXT,
  -- What a list shows of it, as JSON.
  summary TEXT NOT NULL,
  -- The keys of messages that are not in the search yet, as JSON.
  unfinished TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_time ON sessions (last_at, id);
CREATE INDEX sessions_by_cwd ON sessions (cwd, last_at, id);
CREATE INDEX sessions_by_agent_session ON sessions (agent_session) WHERE agent_session IS NOT NULL;
CREATE INDEX sessions_by_parent ON sessions (parent, last_at, id);

-- What is remembered of a tool call beside its item in the view, as JSON.
CREATE TABLE calls (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (session_id, key)
) STRICT, WITHOUT ROWID;

-- What can be searched for. The index holds no text of its own; triggers keep the two together.
CREATE TABLE passages (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (session_id, key)
) STRICT;
CREATE VIRTUAL TABLE passage_index USING fts5(
  text,
  content = 'passages',
  content_rowid = 'id',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co So'"
);
-- Merges segments less often than by default, which takes a third less time to fill it.
INSERT INTO passage_index (passage_index, rank) VALUES ('automerge', 16);
CREATE TRIGGER passage_inserted AFTER INSERT ON passages BEGIN
  INSERT INTO passage_index (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER passage_deleted AFTER DELETE ON passages BEGIN
  INSERT INTO passage_index (passage_index, rowid, text) VALUES ('delete', old.id, old.text);
END;
CREATE TRIGGER passage_changed AFTER UPDATE OF text ON passages BEGIN
  INSERT INTO passage_index (passage_index, rowid, text) VALUES ('delete', old.id, old.text);
  INSERT INTO passage_index (rowid, text) VALUES (new.id, new.text);
END;

CREATE TABLE audit (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  part INTEGER NOT NULL,
  at INTEGER NOT NULL,
  what TEXT NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (session_id, seq, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_by_time ON audit (at, session_id, seq, part);

CREATE TABLE snapshots (
  session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  format TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  view TEXT NOT NULL
) STRICT;
`,
};
