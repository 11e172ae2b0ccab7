-- What tokens depend on leaves the catalogue: who checks a token reads no table of the platforms.
create table platform_access (
  platform_id text primary key,
  is_active boolean not null,
  epoch integer not null
);

insert into platform_access (platform_id, is_active, epoch)
select platform_id, status = 'ACTIVE', access_epoch from platforms;

do $$
begin
  if exists (select from pg_extension where extname = 'citus') then
    perform create_reference_table('platform_access');
  end if;
end
$$;

alter table platforms drop column access_epoch;
