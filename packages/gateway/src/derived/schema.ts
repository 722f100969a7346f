/**
 * Everything that SQLite holds. All of it is derived from the log, so a migration may also empty the
 * tables: what is missing is applied again from the log. A migration, once released, is never changed.
 */
export interface Migration {
  readonly version: number;
  readonly statements: string;
}

/** "LNDL": by it a database of ours is told from somebody else's. */
export const applicationId = 0x4c4e444c;

const first = `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  applied INTEGER NOT NULL,
  -- 1 from the moment that it is deleted until the last of its texts is erased.
  deleted INTEGER NOT NULL,
  agent TEXT NOT NULL,
  cwd TEXT NOT NULL,
  roots TEXT NOT NULL,
  title TEXT,
  title_by TEXT,
  parent TEXT,
  agent_session_id TEXT,
  opened_at INTEGER,
  closed_at INTEGER,
  last_at INTEGER NOT NULL,
  turn TEXT NOT NULL,
  open_asks INTEGER NOT NULL,
  prompts INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  tool_calls INTEGER NOT NULL,
  errors INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_time ON sessions (last_at, id);
CREATE INDEX sessions_by_cwd ON sessions (cwd, last_at, id);
CREATE INDEX sessions_by_parent ON sessions (parent, last_at, id);

CREATE TABLE asks (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  ask_id TEXT NOT NULL,
  ask TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  child TEXT,
  tool_call_id TEXT,
  title TEXT,
  detail TEXT NOT NULL,
  settled_seq INTEGER,
  settled_at INTEGER,
  outcome TEXT,
  settled_by TEXT,
  PRIMARY KEY (session_id, ask_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX asks_open ON asks (at, session_id, seq) WHERE settled_seq IS NULL;

-- What is known of each tool call, to know its first and its last event and what it touches.
CREATE TABLE tool_calls (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  thread TEXT NOT NULL,
  tool_call_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  title TEXT NOT NULL,
  kind TEXT,
  status TEXT,
  paths TEXT NOT NULL,
  ended TEXT,
  PRIMARY KEY (session_id, thread, tool_call_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_calls_open ON tool_calls (session_id) WHERE ended IS NULL;

-- The message that is being written in each thread, until it is finished and becomes a passage.
CREATE TABLE drafts (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  thread TEXT NOT NULL,
  message_id TEXT,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  indexed INTEGER NOT NULL,
  PRIMARY KEY (session_id, thread)
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
  prefix = '1 2 3',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co So'"
);
INSERT INTO passage_index (passage_index, rank) VALUES ('secure-delete', 1);
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
`;

/** Without it, each batch of a session counted all the asks that it ever had. */
const second = `
CREATE INDEX asks_open_of ON asks (session_id, seq) WHERE settled_seq IS NULL;
`;

/** What sessions are known by that have no title, and how their last turn ended. All of them are read again. */
const third = `
DELETE FROM sessions;
ALTER TABLE sessions ADD COLUMN first_prompt TEXT;
ALTER TABLE sessions ADD COLUMN has_failed INTEGER NOT NULL DEFAULT 0;
`;

/** Tool calls remember everything that they named, and ids may be used again. All sessions are read again. */
const fourth = `
DELETE FROM sessions;
ALTER TABLE tool_calls RENAME COLUMN paths TO named;
ALTER TABLE asks ADD COLUMN tool_call TEXT;
ALTER TABLE sessions ADD COLUMN turn_seq INTEGER NOT NULL DEFAULT 0;
`;

/** Commands are kept as lines that a shell would read as the same words. All sessions are read again. */
const fifth = `
DELETE FROM sessions;
`;

/** The audit has everything that a tool call names. All sessions are read again. */
const sixth = `
DELETE FROM sessions;
`;

/** The audit says how each tool call was executed. All sessions are read again. */
const seventh = `
DELETE FROM sessions;
ALTER TABLE sessions ADD COLUMN agent_run TEXT NOT NULL DEFAULT '{}';
ALTER TABLE tool_calls ADD COLUMN execution TEXT NOT NULL DEFAULT '{}';
ALTER TABLE asks ADD COLUMN options TEXT NOT NULL DEFAULT '[]';
CREATE TABLE terminals (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  terminal_id TEXT NOT NULL,
  run TEXT NOT NULL,
  PRIMARY KEY (session_id, terminal_id)
) STRICT, WITHOUT ROWID;
`;

export const migrations: readonly Migration[] = [
  { version: 1, statements: first },
  { version: 2, statements: second },
  { version: 3, statements: third },
  { version: 4, statements: fourth },
  { version: 5, statements: fifth },
  { version: 6, statements: sixth },
  { version: 7, statements: seventh },
];
