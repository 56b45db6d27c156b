-- A job is changed twice or three times in its life: with room on its page, where it is.

alter table job set (fillfactor = 70);
