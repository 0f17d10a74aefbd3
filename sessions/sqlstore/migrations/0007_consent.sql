-- +goose Up
ALTER TABLE consent RENAME COLUMN word TO cause; -- the word said, or what a vendor told
ALTER TABLE inbox ADD COLUMN decided TEXT NOT NULL DEFAULT '';     -- what the person decided by it about hearing from us
ALTER TABLE outbox ADD COLUMN expires INTEGER NOT NULL DEFAULT 0;  -- not handed out after that; 0 for never

-- +goose Down
ALTER TABLE outbox DROP COLUMN expires;
ALTER TABLE inbox DROP COLUMN decided;
ALTER TABLE consent RENAME COLUMN cause TO word;
