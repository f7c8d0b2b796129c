-- How hard the model is to think, where somebody has chosen that for the session.

ALTER TABLE logs ADD COLUMN effort TEXT;
