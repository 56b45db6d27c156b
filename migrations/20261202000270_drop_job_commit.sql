-- A job names its commit, which need not be stored: nobody reads the key of one any more.

-- squawk-ignore ban-drop-column
alter table job drop column commit_id;
