-- What a list shows of a log without reading it: numbers that follow from its events, and no content. NULL: unknown.

ALTER TABLE logs ADD COLUMN usd                REAL    NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN unpriced_calls     INTEGER NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN input_tokens       INTEGER NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN output_tokens      INTEGER NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN cache_read_tokens  INTEGER NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN turns_ended        INTEGER NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN context_tokens     INTEGER;
ALTER TABLE logs ADD COLUMN plan_mode          INTEGER;
ALTER TABLE logs ADD COLUMN archived           INTEGER NOT NULL DEFAULT 0;

UPDATE logs SET
  (usd, unpriced_calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens) = (
    SELECT total(usd), count(*) - count(usd), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
      coalesce(sum(cache_read_tokens), 0), coalesce(sum(cache_write_tokens), 0)
    FROM costs WHERE costs.log = logs.num),
  turns_ended = (
    SELECT count(*) FROM events
    WHERE events.log = logs.num AND kind = 'TurnEnded' AND parent_call IS NULL AND id > coalesce(branch_at, 0)),
  context_tokens = (
    SELECT input_tokens + cache_read_tokens + cache_write_tokens + output_tokens
    FROM costs JOIN events ON events.log = costs.log AND events.id = costs.event
    WHERE costs.log = logs.num AND parent_call IS NULL ORDER BY costs.event DESC LIMIT 1);

-- The logs that a process holds.
CREATE INDEX held_leases ON leases (log) WHERE pid IS NOT NULL;

-- Texts that people keep beside a log: its title (no reader), and the draft of each reader. Sealed as events are.
CREATE TABLE notes (
  log     INTEGER NOT NULL REFERENCES logs (num),
  kind    TEXT    NOT NULL,
  reader  TEXT    NOT NULL,
  ts      TEXT    NOT NULL,
  content BLOB    NOT NULL,
  key_id  TEXT    NOT NULL,
  PRIMARY KEY (log, kind, reader)
) STRICT, WITHOUT ROWID;

-- How far each reader has read: an event, and the turns that had ended up to it.
CREATE TABLE marks (
  log         INTEGER NOT NULL REFERENCES logs (num),
  reader      TEXT    NOT NULL,
  event       INTEGER NOT NULL,
  turns_ended INTEGER NOT NULL,
  ts          TEXT    NOT NULL,
  PRIMARY KEY (log, reader)
) STRICT, WITHOUT ROWID;
