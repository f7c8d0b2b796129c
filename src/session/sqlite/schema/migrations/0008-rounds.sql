-- Fewer pages for each round. A call is one row, with its outcome, beside the other calls of its log; NULL: it has none
-- yet. Messages after an event are found by halving, and nothing reads costs by time.

CREATE TABLE calls (
  log          INTEGER NOT NULL REFERENCES logs (num),
  call_id      TEXT    NOT NULL,
  tool_name    TEXT    NOT NULL,
  args_hash    TEXT    NOT NULL,
  is_mutating  INTEGER NOT NULL,
  started_at   TEXT    NOT NULL,
  summary      BLOB,
  key_id       TEXT,
  outcome      TEXT,
  completed_at TEXT,
  result_ref   INTEGER,
  PRIMARY KEY (log, call_id)
) STRICT, WITHOUT ROWID;

INSERT INTO calls
SELECT log, call_id, tool_name, args_hash, is_mutating, started_at, summary, key_id, outcome, completed_at, result_ref
FROM tool_call_intents LEFT JOIN tool_call_outcomes USING (call_id) ORDER BY log, call_id;

DROP TABLE tool_call_outcomes;
DROP TABLE tool_call_intents;
ALTER TABLE calls RENAME TO tool_call_intents;
CREATE INDEX open_intents ON tool_call_intents (log, started_at, call_id) WHERE outcome IS NULL;

DROP INDEX messages_by_event;
DROP INDEX costs_by_time;
