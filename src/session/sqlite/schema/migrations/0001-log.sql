-- The session log. Content stands in BLOB columns of its own, each with the id of the key that sealed it (NULL:
-- not sealed), apart from the metadata that stays queryable. NULL content has expired.

CREATE TABLE logs (
  num         INTEGER PRIMARY KEY,
  log_id      TEXT    NOT NULL UNIQUE,
  working_dir TEXT    NOT NULL,
  profile     TEXT    NOT NULL,
  model       TEXT    NOT NULL,
  created_at  TEXT    NOT NULL,
  updated_at  TEXT    NOT NULL,
  turns       INTEGER NOT NULL DEFAULT 0,
  title       BLOB,
  key_id      TEXT
) STRICT;
CREATE INDEX logs_by_directory ON logs (working_dir, updated_at);
CREATE INDEX logs_by_time ON logs (updated_at);

CREATE TABLE runs (
  num        INTEGER PRIMARY KEY,
  log        INTEGER NOT NULL REFERENCES logs (num),
  session_id TEXT    NOT NULL UNIQUE,
  opened_at  TEXT    NOT NULL
) STRICT;
CREATE INDEX runs_by_log ON runs (log, num);

-- The row stays when the lease is given back (pid NULL): an epoch is never used twice.
CREATE TABLE leases (
  log           INTEGER PRIMARY KEY REFERENCES logs (num),
  epoch         INTEGER NOT NULL,
  pid           INTEGER,
  process_start TEXT,
  run           INTEGER NOT NULL REFERENCES runs (num)
) STRICT;

-- Clustered by (log, id): "events since id" is one range of the tree.
CREATE TABLE events (
  log         INTEGER NOT NULL REFERENCES logs (num),
  id          INTEGER NOT NULL,
  run         INTEGER NOT NULL REFERENCES runs (num),
  session_id  TEXT,              -- where it is another one than the run's
  turn        INTEGER NOT NULL,  -- the last one started, 0 before the first
  kind        TEXT    NOT NULL,
  ts          TEXT    NOT NULL,
  originator  TEXT,
  parent_call TEXT,
  content     BLOB,
  key_id      TEXT,
  PRIMARY KEY (log, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE costs (
  log                INTEGER NOT NULL,
  event              INTEGER NOT NULL,
  ts                 TEXT    NOT NULL,
  provider           TEXT    NOT NULL,
  model              TEXT    NOT NULL,
  input_tokens       INTEGER NOT NULL,
  output_tokens      INTEGER NOT NULL,
  cache_read_tokens  INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  usd                REAL,       -- NULL: the price is unknown
  PRIMARY KEY (log, event),
  FOREIGN KEY (log, event) REFERENCES events (log, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX costs_by_time ON costs (ts);

CREATE TABLE messages (
  log      INTEGER NOT NULL REFERENCES logs (num),
  seq      INTEGER NOT NULL,
  after    INTEGER NOT NULL,
  turn     INTEGER NOT NULL,
  role     TEXT    NOT NULL,
  boundary INTEGER NOT NULL,
  content  BLOB,
  key_id   TEXT,
  PRIMARY KEY (log, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX boundaries_of_log ON messages (log, seq) WHERE boundary = 1;

CREATE TABLE tool_call_intents (
  call_id     TEXT    PRIMARY KEY,
  log         INTEGER NOT NULL REFERENCES logs (num),
  tool_name   TEXT    NOT NULL,
  args_hash   TEXT    NOT NULL,
  is_mutating INTEGER NOT NULL,
  started_at  TEXT    NOT NULL,
  summary     BLOB,
  key_id      TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX intents_of_log ON tool_call_intents (log, call_id);

CREATE TABLE tool_call_outcomes (
  call_id      TEXT PRIMARY KEY REFERENCES tool_call_intents (call_id),
  outcome      TEXT NOT NULL,
  completed_at TEXT NOT NULL,
  result_ref   INTEGER
) STRICT, WITHOUT ROWID;
