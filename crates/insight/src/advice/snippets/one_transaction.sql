BEGIN;
-- all changes of a step here, and no COMMIT between them
COMMIT;
