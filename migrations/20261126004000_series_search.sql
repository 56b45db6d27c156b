-- Finding series: by words, by what they are made of, and page by page in one order. Both columns hold what never changes
-- in a series, and are written with it; the title of a transport changes, so it is not among that. The defaults are for
-- servers of before, which do not know the columns: what they add comes first in lists and is found by no word.

alter table series
    add column sort_key text collate "C" not null default '',
    add column search tsvector not null default '';
comment on column series.sort_key is 'Its place in lists: machine, scenario, transport, mode, placement, sizes and the rest, with leading zeros.';
comment on column series.search is 'What it is found by: its words from each of their beginnings, its sizes as people write them, and terms that begin as no word does, as in =machine=lab-1.';

update series set (sort_key, search) = (
    select array_to_string(
               array[
                   machine.slug, measured_case.scenario, transport.slug, measured_case.mode, measured_case.placement,
                   lpad(measured_case.message_bytes::text, 19, '0'), measured_case.size_profile,
                   lpad(measured_case.total_bytes::text, 19, '0'), lpad(measured_case.messages::text, 19, '0'),
                   lpad(measured_case.senders::text, 10, '0'), lpad(measured_case.peers::text, 10, '0'),
                   lpad(measured_case.buffer_bytes::text, 19, '0'),
                   lpad(measured_case.rate_per_second::text, 19, '0'), measured_case.variant,
                   measured_case.benchmark, lpad(measured_case.operations::text, 19, '0')
               ],
               ' ', ''
           ),
           array_to_tsvector(array(
               with word as (
                   select lower(text) as text
                   from unnest(array[
                       machine.slug, measured_case.scenario, transport.slug, measured_case.mode,
                       measured_case.placement, measured_case.size_profile, measured_case.variant,
                       measured_case.benchmark
                   ]) as text
               ), size as (
                   select bytes from unnest(array[
                       measured_case.message_bytes, measured_case.total_bytes, measured_case.buffer_bytes
                   ]) as bytes
                   where bytes is not null
               )
               select left(substr(text, place), 64)
               from word, generate_series(1, length(text)) as place
               where substr(text, place, 1) ~ '[[:alnum:]]'
                 and (place = 1 or substr(text, place - 1, 1) !~ '[[:alnum:]]')
               union
               select left(part, 64) from word, regexp_split_to_table(text, '[^[:alnum:]]+') as part
               where part <> ''
               union
               select bytes::text from size
               union
               select bytes / unit.bytes_each || unit.name
               from size, (values (1024, 'kib'), (1048576, 'mib'), (1073741824, 'gib')) as unit (bytes_each, name)
               where bytes > 0 and bytes % unit.bytes_each = 0
               union
               select * from unnest(array[
                   '=project=' || series.project_id, '=machine=' || machine.slug,
                   '=scenario=' || measured_case.scenario, '=transport=' || transport.slug,
                   '=mode=' || measured_case.mode, '=placement=' || measured_case.placement,
                   '=message_bytes=' || measured_case.message_bytes, '=peers=' || measured_case.peers
               ])
           ))
    from measured_case
    join transport on transport.transport_id = measured_case.transport_id
    join machine on machine.machine_id = series.machine_id
    where measured_case.case_id = series.case_id
);

create index series_project_id_sort_key_idx on series (project_id, sort_key, series_id);
-- Without a list of what is pending: series are read far more often than they are made.
create index series_search_idx on series using gin (search) with (fastupdate = off);
