-- What the head file beside the store is compared with: how many batches a log has, and the chained hash of them.

ALTER TABLE logs ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN chain   BLOB;
