-- What was written before the reason `repeat` fulfils the constraint that allows it: looked at without keeping writers out.

alter table job validate constraint job_reason_check;
