-- +goose Up
CREATE TABLE turns (                -- one row a message that was finished; redacted
  id       TEXT PRIMARY KEY,        -- of the answer, else of the message
  person   TEXT NOT NULL,
  channel  TEXT NOT NULL,
  received INTEGER NOT NULL,
  finished INTEGER NOT NULL,
  asked    TEXT NOT NULL,
  said     TEXT NOT NULL,           -- JSON, a list of texts
  word     TEXT NOT NULL,
  status   TEXT NOT NULL,
  route    TEXT NOT NULL,
  language TEXT NOT NULL,
  persona  TEXT NOT NULL,
  strategy TEXT NOT NULL,
  variant  TEXT NOT NULL,
  pack     TEXT NOT NULL,
  review   TEXT NOT NULL,           -- why a member of staff should look; empty if they need not
  parked   TEXT NOT NULL,           -- why it was given up; empty if it was not
  detail   BLOB                     -- how the answer came about: JSON, compressed; NULL if nothing was answered
);
CREATE INDEX turns_person ON turns (person, finished, id);
CREATE INDEX turns_finished ON turns (finished, id);
CREATE INDEX turns_review ON turns (finished, id) WHERE review <> '';

CREATE TABLE ring (mark TEXT NOT NULL); -- one row: the key in use

-- +goose Down
DROP TABLE ring;
DROP TABLE turns;
