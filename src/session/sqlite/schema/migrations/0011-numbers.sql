-- The number of a log is never used twice: another process may still remove the rows of a deleted one, or write them
-- under its lease. One row: the highest number that a log has had. The store refuses a log with a lower one.

CREATE TABLE log_numbers (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  last INTEGER NOT NULL
) STRICT;
INSERT INTO log_numbers SELECT 1, coalesce(max(num), 0) FROM logs;

CREATE TRIGGER numbers_of_logs_grow AFTER INSERT ON logs BEGIN
  SELECT CASE WHEN NEW.num <= last THEN RAISE(ABORT, 'the number of a log was used before') END FROM log_numbers;
  UPDATE log_numbers SET last = NEW.num;
END;
