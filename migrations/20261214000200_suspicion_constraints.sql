-- Checks the rows that existed before the constraints, without blocking writes.

alter table change_point validate constraint change_point_suspicion_id_fkey;
alter table job validate constraint job_reason_check;
