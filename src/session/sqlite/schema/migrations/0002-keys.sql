-- Content is sealed with data keys, one for each log and day, and those are wrapped by the log key of this
-- installation. A data key that is NULL was destroyed: what it sealed has expired.

CREATE TABLE data_keys (
  key_id     TEXT    PRIMARY KEY,
  log        INTEGER NOT NULL REFERENCES logs (num),
  day        TEXT    NOT NULL,
  wrapped    BLOB
) STRICT, WITHOUT ROWID;
CREATE INDEX data_keys_by_log ON data_keys (log, day);

-- One row, made once everything is sealed: which log key wraps the data keys.
CREATE TABLE sealing (
  num         INTEGER PRIMARY KEY CHECK (num = 1),
  fingerprint TEXT    NOT NULL,
  since       TEXT    NOT NULL
) STRICT;
