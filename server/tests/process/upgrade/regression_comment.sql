-- A comment on a regression.
insert into regression_comment (regression_id, created_by, contents, created_at)
    select min(regression_id), 'account:grace', 'seen', now() from regression;
