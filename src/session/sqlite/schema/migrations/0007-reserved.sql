-- The last id that clients may have seen before its event was in the log. If it is above the last event, those between
-- were lost in a crash.

ALTER TABLE logs ADD COLUMN reserved INTEGER NOT NULL DEFAULT 0;
