-- Which pieces of text stand in a stretch of a log: a sealed filter each, with the key of the oldest content in it. It
-- expires with that content, and is made again of the rest. A row that is missing or damaged costs time only.

CREATE TABLE search_segments (
  log        INTEGER NOT NULL REFERENCES logs (num),
  from_event INTEGER NOT NULL,
  to_event   INTEGER NOT NULL,
  from_ts    TEXT    NOT NULL,
  to_ts      TEXT    NOT NULL,
  key_id     TEXT    NOT NULL,
  filter     BLOB    NOT NULL
) STRICT;
CREATE UNIQUE INDEX search_segments_by_log ON search_segments (log, from_event);

-- Logs with content that has expired.
CREATE INDEX expired_keys ON data_keys (log) WHERE wrapped IS NULL;
