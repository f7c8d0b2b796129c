-- Expiry, pinning and branches. `meta` is the payload without its content: what stays once the content has expired.
-- NULL where the kind says everything, and where it is not known any more.

ALTER TABLE events ADD COLUMN meta TEXT;

ALTER TABLE costs ADD COLUMN turn INTEGER;
UPDATE costs SET turn = (SELECT turn FROM events WHERE events.log = costs.log AND events.id = costs.event AND turn > 0);

ALTER TABLE logs ADD COLUMN pinned    INTEGER NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN turn_open INTEGER NOT NULL DEFAULT 0;  -- the last turn began and did not end
ALTER TABLE logs ADD COLUMN branch_of TEXT;                        -- the log that this one is a copy of …
ALTER TABLE logs ADD COLUMN branch_at INTEGER;                     -- … up to this event
ALTER TABLE logs ADD COLUMN deleted   INTEGER NOT NULL DEFAULT 0;  -- nobody sees it any more; its rows are going

UPDATE logs SET turn_open = 1 WHERE 'TurnStarted' = (
  SELECT kind FROM events WHERE log = logs.num AND kind IN ('TurnStarted', 'TurnEnded') AND parent_call IS NULL
  ORDER BY id DESC LIMIT 1);

-- From which event on a key seals the contents of a log. An event's content has expired where its key was destroyed, so
-- that expiry writes nothing but keys, and the expired ranges of a log are told without looking at its events.
CREATE TABLE key_spans (
  log        INTEGER NOT NULL REFERENCES logs (num),
  from_event INTEGER NOT NULL,
  key_id     TEXT    NOT NULL REFERENCES data_keys (key_id),
  freed      INTEGER NOT NULL DEFAULT 0,  -- its contents were removed after it expired
  PRIMARY KEY (log, from_event)
) STRICT, WITHOUT ROWID;

-- Calls with an intent and no outcome are found without looking at those that ended.
ALTER TABLE tool_call_intents ADD COLUMN is_open INTEGER NOT NULL DEFAULT 1;
UPDATE tool_call_intents SET is_open = 0 WHERE call_id IN (SELECT call_id FROM tool_call_outcomes);
CREATE INDEX open_intents ON tool_call_intents (log, started_at, call_id) WHERE is_open = 1;

-- The messages as they stood after an event.
CREATE INDEX messages_by_event ON messages (log, after, seq);

-- Branches, which may have broken off, and logs whose rows are going.
CREATE INDEX branches ON logs (branch_at) WHERE branch_at IS NOT NULL;
CREATE INDEX deleted_logs ON logs (num) WHERE deleted = 1;

-- Where there is content that is old enough to expire.
CREATE INDEX live_keys ON data_keys (day, log) WHERE wrapped IS NOT NULL;
