-- What the contents under a key are bound to: 1, their row and its kind; 2, all that the row tells of them in the clear.

ALTER TABLE data_keys ADD COLUMN bound INTEGER NOT NULL DEFAULT 1;
