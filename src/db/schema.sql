CREATE COLLATION public.natural_order (provider = icu, locale = 'und-u-kn-true');

CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;

COMMENT ON EXTENSION btree_gin IS 'support for indexing common datatypes in GIN';

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';

CREATE DOMAIN public.encrypted AS text
	CONSTRAINT encrypted_check CHECK ((VALUE ~ '^v1\.[A-Za-z0-9-]{1,32}\.[A-Za-z0-9_-]{38,}$'::text));

CREATE DOMAIN public.encrypted_guest_data AS text
	CONSTRAINT encrypted_guest_data_check CHECK ((VALUE ~ '^v1\.[A-Za-z0-9-]{1,32}\.[A-Za-z0-9_-]{38,}$'::text));

CREATE DOMAIN public.encrypted_setting AS text
	CONSTRAINT encrypted_setting_check CHECK ((VALUE ~ '^v1\.[A-Za-z0-9-]{1,32}\.[A-Za-z0-9_-]{38,}$'::text));

CREATE FUNCTION public.add_counts(known jsonb, added jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
declare
  name text;
  total integer;
begin
  for name in select jsonb_object_keys(added) loop
    total := coalesce((known ->> name)::integer, 0) + (added ->> name)::integer;
    known := case total when 0 then known - name else jsonb_set(known, array[name], to_jsonb(total)) end;
  end loop;
  return known;
end $$;

CREATE FUNCTION public.audit_has_guest_data(action text, details jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((split_part(action, '.'::text, 1) = 'voucher'::text) AND ((details ?| '{name,reference}'::text[]) OR ((details -> 'changes'::text) ?| '{name,reference}'::text[]) OR ((details -> 'before'::text) ?| '{name,reference}'::text[])));

CREATE FUNCTION public.audit_longest_transaction() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00:05:00'::interval;

CREATE FUNCTION public.audit_without_guest_data(action text, details jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (NOT COALESCE(public.audit_has_guest_data(action, details), false)) THEN details WHEN (action <> 'voucher.changed'::text) THEN (details - '{name,reference}'::text[]) ELSE (((details - '{name,reference,changes,before,validUntil}'::text[]) || jsonb_build_object('changes', CASE WHEN (details ? 'changes'::text) THEN ((details -> 'changes'::text) - '{name,reference}'::text[]) WHEN (details ? 'validUntil'::text) THEN jsonb_build_object('validUntil', (details -> 'validUntil'::text)) ELSE '{}'::jsonb END, 'guestFields', (SELECT COALESCE(jsonb_agg(field.field), '[]'::jsonb) AS "coalesce" FROM unnest('{name,reference}'::text[]) field(field) WHERE (CASE WHEN (audit_without_guest_data.details ? 'changes'::text) THEN (audit_without_guest_data.details -> 'changes'::text) ELSE audit_without_guest_data.details END ? field.field)))) || CASE WHEN (details ? 'before'::text) THEN jsonb_build_object('before', ((details -> 'before'::text) - '{name,reference}'::text[])) ELSE '{}'::jsonb END) END;

CREATE FUNCTION public.count_issuing(counters jsonb, wanted integer, needed integer) RETURNS integer
    LANGUAGE plpgsql STRICT
    AS $$
declare
  counter record;
  known integer;
  fitting integer := wanted;
  full_ones jsonb := '[]';
begin
  for counter in
    select value ->> 'scope' as scope, (value ->> 'day')::date as day, (value ->> 'limit')::integer as most,
           (value ->> 'until')::timestamptz as until, coalesce((value ->> 'times')::integer, 1) as times
      from jsonb_array_elements(counters) order by 1, 2
  loop
    insert into issuing_counters (scope, day, vouchers) values (counter.scope, counter.day, 0) on conflict do nothing;
    select vouchers into known from issuing_counters
     where scope = counter.scope and day = counter.day for update;
    if counter.most - known < needed * counter.times then
      full_ones := full_ones || jsonb_build_object('scope', counter.scope, 'limit', counter.most, 'until', counter.until,
        'seconds', greatest(1, ceil(extract(epoch from counter.until - clock_timestamp()))));
    end if;
    if counter.most is not null then
      fitting := least(fitting, greatest(counter.most - known, 0) / counter.times);
    end if;
  end loop;
  if fitting < needed then
    raise exception 'a limit on issuing is reached' using errcode = 'VS001', detail = full_ones::text;
  end if;
  if fitting > 0 then
    update issuing_counters set vouchers = vouchers + fitting * coalesce((asked ->> 'times')::integer, 1)
      from jsonb_array_elements(counters) as asked
     where scope = asked ->> 'scope' and day = (asked ->> 'day')::date;
  end if;
  return fitting;
end $$;

CREATE FUNCTION public.count_issuing_back() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  counter record;
begin
  for counter in
    select value ->> 'scope' as scope, (value ->> 'day')::date as day
      from jsonb_array_elements(old.issuing_counters) order by 1, 2
  loop
    update issuing_counters set vouchers = vouchers + case when new.state in ('rejected', 'absent') then -1 else 1 end
     where scope = counter.scope and day = counter.day;
  end loop;
  return null;
end $$;

CREATE TABLE public.audit (
    id uuid NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    actor_kind text NOT NULL,
    actor_id uuid,
    actor_name text NOT NULL,
    action text NOT NULL,
    target_kind text NOT NULL,
    target_id text NOT NULL,
    address inet,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT audit_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['key'::text, 'staff'::text, 'command'::text, 'service'::text])))
);

CREATE TABLE public.audit_retention (
    only_one boolean DEFAULT true NOT NULL,
    days integer,
    CONSTRAINT audit_retention_days_check CHECK ((days >= 30)),
    CONSTRAINT audit_retention_only_one_check CHECK (only_one)
);

CREATE FUNCTION public.delete_old_audit(max_rows integer) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH old AS MATERIALIZED (
          SELECT audit.id
            FROM public.audit
           WHERE (audit.at < (now() - ( SELECT make_interval(hours => (24 * audit_retention.days)) AS make_interval
                    FROM public.audit_retention)))
           ORDER BY audit.at
          LIMIT LEAST(delete_old_audit.max_rows, 2000)
          FOR UPDATE OF audit SKIP LOCKED
         ), deleted AS (
          DELETE FROM public.audit
           WHERE (audit.id IN ( SELECT old.id
                    FROM old))
           RETURNING 1 AS "?column?"
         )
  SELECT (count(*))::integer AS count
    FROM deleted;
END;

CREATE FUNCTION public.give_back_messages(site integer, batch uuid) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  counter record;
begin
  for counter in
    select value ->> 'scope' as scope, (value ->> 'day')::date as day, count(*)::integer as messages
      from batch_rows r join messages m on m.id = r.message_id, jsonb_array_elements(r.message_counters)
     where r.site_id = site and r.batch_id = batch and m.state = 'cancelled' and m.voucher_id is null
     group by 1, 2 order by 1, 2
  loop
    update issuing_counters set vouchers = vouchers - counter.messages where scope = counter.scope and day = counter.day;
  end loop;
  update batch_rows set message_counters = null where site_id = site and batch_id = batch and message_counters is not null;
end $$;

CREATE FUNCTION public.move_all_site_versions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update site_versions set version = gen_random_uuid();
  return null;
end $$;

CREATE FUNCTION public.move_site_versions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into site_versions (site_id, version)
    select site_id, gen_random_uuid() from changed group by site_id order by site_id
    on conflict (site_id) do update set version = excluded.version;
  return null;
end $$;

CREATE FUNCTION public.move_site_versions_by_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into site_versions (site_id, version)
    select site_id, gen_random_uuid()
      from (select site_id from before union select site_id from after) as changed order by site_id
    on conflict (site_id) do update set version = excluded.version;
  return null;
end $$;

CREATE FUNCTION public.move_version_of_names() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into site_versions (site_id, version) values (0, gen_random_uuid())
    on conflict (site_id) do update set version = excluded.version;
  return null;
end $$;

CREATE FUNCTION public.reject_late_audit() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'the transaction began too long ago to add entries to the audit';
end $$;

CREATE FUNCTION public.settle_message() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if new.state = 'recorded' then
    update messages
       set state = 'waiting', voucher_id = new.voucher_id, next_attempt_at = now(), send_until = now() + interval '24 hours'
     where creation_id = new.id and state = 'prepared';
  elsif new.state in ('rejected', 'absent') and new.batch_id is null then
    update messages set state = 'cancelled', email = null, settled_at = now()
     where creation_id = new.id and state = 'prepared';
  end if;
  return null;
end $$;

CREATE FUNCTION public.settle_message_of_row() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if new.state = 'made' then
    update messages
       set state = 'waiting', voucher_id = new.voucher_id, next_attempt_at = now(), send_until = now() + interval '24 hours'
     where id = new.message_id and state = 'prepared';
  else
    update messages set state = 'cancelled', email = null, settled_at = now()
     where id = new.message_id and state = 'prepared';
  end if;
  return null;
end $$;

CREATE FUNCTION public.strip_audit(max_rows integer) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 WITH found AS MATERIALIZED (
          SELECT audit.id
            FROM public.audit
           WHERE ((split_part(audit.action, '.'::text, 1) = 'voucher'::text) AND ((audit.details ?| '{name,reference}'::text[]) OR ((audit.details -> 'changes'::text) ?| '{name,reference}'::text[]) OR ((audit.details -> 'before'::text) ?| '{name,reference}'::text[])))
          LIMIT LEAST(strip_audit.max_rows, 1000)
          FOR UPDATE OF audit SKIP LOCKED
         ), stripped AS (
          UPDATE public.audit SET details = public.audit_without_guest_data(audit.action, audit.details)
           WHERE (audit.id IN ( SELECT found.id
                    FROM found))
           RETURNING 1 AS "?column?"
         )
  SELECT (count(*))::integer AS count
    FROM stripped;
END;

CREATE FUNCTION public.uuid_v7() RETURNS uuid
    LANGUAGE sql PARALLEL SAFE
    AS $$
  select encode(
    set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
      placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1),
    'hex')::uuid
$$;

CREATE FUNCTION public.without_date(name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(name, '^\d{4}-\d\d-\d\d_'::text, ''::text);

CREATE TABLE public.api_key_days (
    api_key_id uuid NOT NULL,
    day date NOT NULL,
    requests bigint DEFAULT 0 NOT NULL,
    limited bigint DEFAULT 0 NOT NULL
);

CREATE TABLE public.api_key_secrets (
    prefix text NOT NULL,
    api_key_id uuid NOT NULL,
    sha256 bytea NOT NULL,
    valid_until timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT api_key_secrets_sha256_check CHECK ((length(sha256) = 32))
);

CREATE TABLE public.api_key_sites (
    api_key_id uuid NOT NULL,
    site_id integer NOT NULL
);

CREATE TABLE public.api_keys (
    id uuid NOT NULL,
    name text NOT NULL,
    scope text NOT NULL,
    rate_limit integer NOT NULL,
    all_sites boolean DEFAULT true NOT NULL,
    expires_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    vouchers_per_day integer,
    longest_minutes integer,
    CONSTRAINT api_keys_manage_expires CHECK (((scope <> 'manage'::text) OR (expires_at IS NOT NULL))),
    CONSTRAINT api_keys_name_check CHECK ((name <> ''::text)),
    CONSTRAINT api_keys_rate_limit_check CHECK (((rate_limit >= 0) AND (rate_limit <= 100000))),
    CONSTRAINT api_keys_scope_check CHECK ((scope = ANY (ARRAY['read'::text, 'write'::text, 'manage'::text])))
);

CREATE TABLE public.authenticator_apps (
    id uuid NOT NULL,
    staff_id uuid NOT NULL,
    secret public.encrypted NOT NULL,
    last_step bigint,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    checked_at timestamp(3) with time zone,
    activated_at timestamp(3) with time zone
);

CREATE TABLE public.batch_rows (
    site_id integer NOT NULL,
    batch_id uuid NOT NULL,
    number integer NOT NULL,
    controller_name text NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    creation_id uuid,
    voucher_id uuid,
    failure text,
    notified boolean DEFAULT false NOT NULL,
    name text GENERATED ALWAYS AS (public.without_date(controller_name)) STORED,
    reference text,
    max_uses integer,
    expire_minutes integer,
    valid_until timestamp(3) with time zone,
    extendable_until timestamp(3) with time zone,
    own_creation_id uuid,
    erased_at timestamp(3) with time zone,
    message_id uuid,
    message_counters jsonb,
    CONSTRAINT batch_rows_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'made'::text, 'failed'::text, 'cancelled'::text])))
);

CREATE TABLE public.batches (
    site_id integer NOT NULL,
    id uuid NOT NULL,
    actor text NOT NULL,
    api_key_id uuid,
    staff_id uuid,
    idempotency_key text,
    request_hash bytea NOT NULL,
    reference text,
    valid_until timestamp(3) with time zone,
    max_uses integer NOT NULL,
    expire_minutes integer NOT NULL,
    qos_down_kbps integer DEFAULT 0 NOT NULL,
    qos_up_kbps integer DEFAULT 0 NOT NULL,
    qos_quota_mb integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    next_run_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    held_up_since timestamp(3) with time zone,
    cancelled_at timestamp(3) with time zone,
    finished_at timestamp(3) with time zone,
    running_until timestamp(3) with time zone,
    running_by uuid,
    extendable_until timestamp(3) with time zone,
    unused_days integer,
    request_hash_key text,
    CONSTRAINT batches_unused_days_check CHECK ((unused_days > 0))
);

CREATE TABLE public.breaking_migrations (
    name text NOT NULL,
    breaks_before text NOT NULL,
    reason text NOT NULL,
    CONSTRAINT breaking_migrations_breaks_before_check CHECK ((breaks_before ~ '^\d+\.\d+\.\d+$'::text))
);

CREATE TABLE public.controller_outages (
    controller_id uuid NOT NULL,
    since timestamp(3) with time zone DEFAULT now() NOT NULL,
    until timestamp(3) with time zone,
    next_probe_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    reason text
);

CREATE TABLE public.controllers (
    id uuid NOT NULL,
    name text NOT NULL,
    driver text NOT NULL,
    address text NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    secret public.encrypted,
    certificate_pin bytea,
    session public.encrypted,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    session_id uuid,
    signing_in_until timestamp(3) with time zone,
    sign_ins timestamp(3) with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    sign_in_paused_until timestamp(3) with time zone,
    sign_in_paused_by text,
    stamp_skew_ms double precision,
    CONSTRAINT controllers_certificate_pin_check CHECK ((length(certificate_pin) = 32))
);

CREATE TABLE public.creations (
    site_id integer NOT NULL,
    id uuid NOT NULL,
    actor text NOT NULL,
    api_key_id uuid,
    staff_id uuid,
    idempotency_key text,
    request_hash bytea NOT NULL,
    controller_name text NOT NULL,
    max_uses integer NOT NULL,
    expire_minutes integer NOT NULL,
    qos_down_kbps integer DEFAULT 0 NOT NULL,
    qos_up_kbps integer DEFAULT 0 NOT NULL,
    qos_quota_mb integer DEFAULT 0 NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    sent_at timestamp(3) with time zone NOT NULL,
    lease_until timestamp(3) with time zone NOT NULL,
    settled_at timestamp(3) with time zone,
    voucher_id uuid,
    answer jsonb,
    superseded_by uuid,
    reference text,
    valid_until timestamp(3) with time zone,
    batch_id uuid,
    note text,
    controller_ahead_ms double precision,
    revoked_at timestamp(3) with time zone,
    surplus text,
    name text GENERATED ALWAYS AS (public.without_date(controller_name)) STORED,
    unused_days integer,
    minutes_cut boolean DEFAULT false NOT NULL,
    revoked_only_unused boolean DEFAULT false NOT NULL,
    request_hash_key text,
    issuing_counters jsonb,
    has_message boolean DEFAULT false NOT NULL,
    CONSTRAINT creations_check CHECK (((state = ANY (ARRAY['open'::text, 'unknown'::text])) = (settled_at IS NULL))),
    CONSTRAINT creations_state_check CHECK ((state = ANY (ARRAY['open'::text, 'unknown'::text, 'recorded'::text, 'rejected'::text, 'absent'::text]))),
    CONSTRAINT creations_surplus_check CHECK ((surplus = ANY (ARRAY['withdrawn'::text, 'in_use'::text, 'suspected'::text])))
);

CREATE TABLE public.deliveries (
    id uuid NOT NULL,
    event_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp(3) with time zone DEFAULT now(),
    settled_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    turn integer DEFAULT 0 NOT NULL,
    rung integer DEFAULT 0 NOT NULL,
    site_ids integer[],
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

CREATE TABLE public.delivery_attempts (
    delivery_id uuid NOT NULL,
    attempt integer NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status integer,
    error text,
    reply text
);

CREATE TABLE public.erasure_items (
    erasure_id uuid NOT NULL,
    kind text NOT NULL,
    site_id integer NOT NULL,
    id uuid NOT NULL,
    number integer DEFAULT 0 NOT NULL,
    CONSTRAINT erasure_items_kind_check CHECK ((kind = ANY (ARRAY['voucher'::text, 'creation'::text, 'row'::text])))
);

CREATE TABLE public.erasures (
    id uuid NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    actor_kind text NOT NULL,
    actor_id uuid,
    actor_name text NOT NULL,
    reason text NOT NULL,
    site_ids integer[] NOT NULL,
    entries integer DEFAULT 0 NOT NULL,
    finished_at timestamp(3) with time zone,
    CONSTRAINT erasures_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['key'::text, 'staff'::text, 'command'::text, 'service'::text]))),
    CONSTRAINT erasures_reason_check CHECK ((reason = ANY (ARRAY['guest_asked'::text, 'mistake'::text, 'other'::text])))
);

CREATE TABLE public.events (
    id uuid NOT NULL,
    type text NOT NULL,
    site_id integer,
    controller_id uuid,
    data jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    erased_at timestamp(3) with time zone
);

CREATE TABLE public.hold (
    only_one boolean DEFAULT true NOT NULL,
    since timestamp(3) with time zone DEFAULT now() NOT NULL,
    reason text NOT NULL,
    backup_taken_at timestamp(3) with time zone,
    CONSTRAINT hold_check CHECK (((reason = 'restored'::text) = (backup_taken_at IS NOT NULL))),
    CONSTRAINT hold_only_one_check CHECK (only_one)
);

CREATE TABLE public.identities (
    issuer text NOT NULL,
    subject text NOT NULL,
    staff_id uuid NOT NULL,
    linked_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_sign_in_at timestamp(3) with time zone,
    groups jsonb DEFAULT '{}'::jsonb NOT NULL,
    email text
);

CREATE TABLE public.issuing_counters (
    scope text NOT NULL,
    day date NOT NULL,
    vouchers integer NOT NULL
);

CREATE TABLE public.last_backup (
    only_one boolean DEFAULT true NOT NULL,
    taken_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT last_backup_only_one_check CHECK (only_one)
);

CREATE TABLE public.messages (
    id uuid NOT NULL,
    site_id integer,
    creation_id uuid,
    voucher_id uuid,
    api_key_id uuid,
    staff_id uuid,
    email public.encrypted_guest_data,
    language text NOT NULL,
    state text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    send_until timestamp(3) with time zone,
    next_attempt_at timestamp(3) with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    id_host text,
    failure text,
    answer text,
    settled_at timestamp(3) with time zone,
    failing_since timestamp(3) with time zone,
    kind text DEFAULT 'voucher'::text NOT NULL,
    recipient_id uuid,
    link_token public.encrypted_guest_data,
    asked_from inet,
    CONSTRAINT messages_kind_check CHECK (
CASE
    WHEN (kind = 'voucher'::text) THEN ((site_id IS NOT NULL) AND (recipient_id IS NULL) AND (asked_from IS NULL))
    ELSE ((kind = ANY (ARRAY['invitation'::text, 'password_link'::text, 'forgotten_password'::text])) AND (site_id IS NULL) AND (creation_id IS NULL) AND (voucher_id IS NULL))
END),
    CONSTRAINT messages_link_check CHECK (((link_token IS NULL) OR ((state = 'waiting'::text) AND (kind <> 'voucher'::text)))),
    CONSTRAINT messages_settled_check CHECK (((settled_at IS NULL) = (state = ANY (ARRAY['prepared'::text, 'waiting'::text])))),
    CONSTRAINT messages_state_check CHECK ((state = ANY (ARRAY['prepared'::text, 'waiting'::text, 'accepted'::text, 'rejected'::text, 'expired'::text, 'cancelled'::text]))),
    CONSTRAINT messages_waiting_check CHECK (((state <> 'waiting'::text) OR ((email IS NOT NULL) AND (next_attempt_at IS NOT NULL) AND (send_until IS NOT NULL) AND
CASE
    WHEN (kind = 'voucher'::text) THEN (voucher_id IS NOT NULL)
    ELSE ((recipient_id IS NOT NULL) AND (link_token IS NOT NULL))
END)))
);

CREATE TABLE public.passkey_challenges (
    owner uuid NOT NULL,
    purpose text NOT NULL,
    challenge text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT passkey_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['sign_in'::text, 'again'::text, 'register'::text])))
);

CREATE TABLE public.passkeys (
    id uuid NOT NULL,
    staff_id uuid NOT NULL,
    credential_id bytea NOT NULL,
    public_key bytea NOT NULL,
    host text NOT NULL,
    counter bigint NOT NULL,
    transports text[] NOT NULL,
    name text NOT NULL,
    added_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp(3) with time zone,
    counter_went_back_at timestamp(3) with time zone
);

CREATE TABLE public.password_links (
    staff_id uuid NOT NULL,
    token_sha256 bytea NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    created_by uuid,
    CONSTRAINT password_links_token_sha256_check CHECK ((length(token_sha256) = 32))
);

CREATE TABLE public.pending_sign_ins (
    id uuid NOT NULL,
    staff_id uuid NOT NULL,
    token_sha256 bytea NOT NULL,
    signed_in_by text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT pending_sign_ins_token_sha256_check CHECK ((length(token_sha256) = 32))
);

CREATE UNLOGGED TABLE public.rate_limits (
    key text NOT NULL,
    count integer NOT NULL,
    ends_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.recovery_codes (
    app_id uuid NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT recovery_codes_hash_check CHECK ((length(hash) = 32))
);

CREATE TABLE public.remembered_requests (
    actor text NOT NULL,
    operation text NOT NULL,
    idempotency_key text NOT NULL,
    request_hash bytea NOT NULL,
    result jsonb,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    request_hash_key text,
    target text
);

CREATE TABLE public.revocations (
    id uuid NOT NULL,
    actor text NOT NULL,
    api_key_id uuid,
    staff_id uuid,
    idempotency_key text,
    request_hash bytea NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    site_ids integer[] DEFAULT '{}'::integer[] NOT NULL,
    request_hash_key text
);

CREATE TABLE public.settings (
    name text NOT NULL,
    value jsonb NOT NULL,
    file bytea,
    changed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    secret public.encrypted_setting,
    CONSTRAINT settings_file_check CHECK ((length(file) <= 262144))
);

CREATE TABLE public.setup_token (
    only_row boolean DEFAULT true NOT NULL,
    seed uuid NOT NULL,
    token_sha256 bytea NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT setup_token_only_row_check CHECK (only_row),
    CONSTRAINT setup_token_token_sha256_check CHECK ((length(token_sha256) = 32))
);

CREATE TABLE public.site_days (
    site_id integer NOT NULL,
    day date NOT NULL,
    created integer DEFAULT 0 NOT NULL,
    redeemed integer DEFAULT 0 NOT NULL,
    revoked integer DEFAULT 0 NOT NULL,
    created_redeemed integer DEFAULT 0 NOT NULL,
    created_by jsonb DEFAULT '{}'::jsonb NOT NULL
);

CREATE TABLE public.site_logos (
    site_id integer NOT NULL,
    type text NOT NULL,
    bytes bytea NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT site_logos_bytes_check CHECK ((length(bytes) <= 262144)),
    CONSTRAINT site_logos_type_check CHECK ((type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text])))
);

CREATE TABLE public.site_versions (
    site_id integer NOT NULL,
    version uuid NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.sites (
    id integer NOT NULL,
    name text NOT NULL COLLATE public.natural_order,
    active boolean DEFAULT true NOT NULL,
    controller_id uuid NOT NULL,
    controller_site text NOT NULL,
    wifi_ssid text,
    wifi_hidden boolean DEFAULT false NOT NULL,
    wifi_password public.encrypted,
    adopts_vouchers boolean DEFAULT false NOT NULL,
    next_sync_at timestamp(3) with time zone,
    synced_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    sync_failure text,
    sync_failing_since timestamp(3) with time zone,
    tags_names boolean DEFAULT false NOT NULL,
    unrecorded integer DEFAULT 0 NOT NULL,
    time_zone text,
    guest_languages text[] DEFAULT '{}'::text[] NOT NULL,
    slip_footer text,
    room_days integer DEFAULT 7 NOT NULL,
    compared_list bytea,
    compared_version uuid,
    compared_at timestamp(3) with time zone,
    ended_deleted_at timestamp(3) with time zone,
    vouchers_per_day integer,
    longest_minutes integer,
    slip_lines text[],
    slip_per_language boolean DEFAULT false NOT NULL,
    slip_password_for_keys boolean DEFAULT false NOT NULL,
    CONSTRAINT sites_guest_languages_check CHECK ((guest_languages <@ '{de,en,fr,it,nl,es,pl,cs,pt,da,sv,nb,fi,hu,ro,hr,tr,el,uk,ru}'::text[])),
    CONSTRAINT sites_name_check CHECK ((name <> ''::text)),
    CONSTRAINT sites_room_days_check CHECK (((room_days >= 0) AND (room_days <= 365))),
    CONSTRAINT sites_slip_footer_check CHECK ((char_length(slip_footer) <= 120))
);

ALTER TABLE public.sites ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.sites_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.staff (
    id uuid NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    all_sites boolean DEFAULT false NOT NULL,
    active boolean DEFAULT true NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    password_hash text,
    language text,
    theme text DEFAULT 'auto'::text NOT NULL,
    last_seen_at timestamp(3) with time zone,
    rights_from_groups boolean DEFAULT false NOT NULL,
    credentials_by uuid,
    vouchers_per_day integer,
    longest_minutes integer,
    CONSTRAINT staff_language_check CHECK ((language = ANY (ARRAY['de'::text, 'en'::text]))),
    CONSTRAINT staff_role_check CHECK ((role = ANY (ARRAY['desk'::text, 'manager'::text, 'admin'::text]))),
    CONSTRAINT staff_theme_check CHECK ((theme = ANY (ARRAY['light'::text, 'dark'::text, 'auto'::text])))
);

CREATE TABLE public.staff_addresses (
    staff_id uuid NOT NULL,
    address inet NOT NULL,
    signed_in_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.staff_sessions (
    id uuid NOT NULL,
    staff_id uuid NOT NULL,
    token_sha256 bytea NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    address inet NOT NULL,
    user_agent text NOT NULL,
    signed_in_by text DEFAULT 'password'::text NOT NULL,
    authenticated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    ends_at timestamp(3) with time zone,
    must_set_up_factor boolean DEFAULT false NOT NULL,
    idle_minutes integer,
    CONSTRAINT staff_sessions_token_sha256_check CHECK ((length(token_sha256) = 32))
);

CREATE TABLE public.staff_sites (
    staff_id uuid NOT NULL,
    site_id integer NOT NULL
);

CREATE TABLE public.templates (
    id uuid NOT NULL,
    site_id integer,
    name text NOT NULL,
    max_uses integer NOT NULL,
    expire_minutes integer NOT NULL,
    qos_down_kbps integer DEFAULT 0 NOT NULL,
    qos_up_kbps integer DEFAULT 0 NOT NULL,
    qos_quota_mb integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    unused_days integer,
    "position" integer,
    is_default boolean DEFAULT false NOT NULL,
    CONSTRAINT templates_expire_minutes_check CHECK ((expire_minutes > 0)),
    CONSTRAINT templates_max_uses_check CHECK ((max_uses >= 0)),
    CONSTRAINT templates_name_check CHECK ((name <> ''::text)),
    CONSTRAINT templates_qos_down_kbps_check CHECK ((qos_down_kbps >= 0)),
    CONSTRAINT templates_qos_quota_mb_check CHECK ((qos_quota_mb >= 0)),
    CONSTRAINT templates_qos_up_kbps_check CHECK ((qos_up_kbps >= 0)),
    CONSTRAINT templates_unused_days_check CHECK ((unused_days > 0))
);

CREATE TABLE public.vouchers (
    site_id integer NOT NULL,
    id uuid NOT NULL,
    creation_id uuid,
    controller_voucher_id text,
    code text NOT NULL,
    controller_name text NOT NULL,
    reference text,
    max_uses integer NOT NULL,
    expire_minutes integer NOT NULL,
    qos_down_kbps integer DEFAULT 0 NOT NULL,
    qos_up_kbps integer DEFAULT 0 NOT NULL,
    qos_quota_mb integer DEFAULT 0 NOT NULL,
    status text DEFAULT 'valid'::text NOT NULL,
    used_count integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    first_used_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone,
    valid_until timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    synced_at timestamp(3) with time zone,
    api_key_id uuid,
    staff_id uuid,
    batch_id uuid,
    name text NOT NULL,
    minutes_cut boolean DEFAULT false NOT NULL,
    unused_until timestamp(3) with time zone,
    first_use_told boolean DEFAULT false NOT NULL,
    end_told boolean DEFAULT false NOT NULL,
    issued_on date DEFAULT ((now() AT TIME ZONE 'UTC'::text))::date NOT NULL,
    erased_at timestamp(3) with time zone,
    erasure_id uuid,
    imported_at timestamp(3) with time zone,
    CONSTRAINT vouchers_code_check CHECK ((code <> ''::text)),
    CONSTRAINT vouchers_expire_minutes_check CHECK ((expire_minutes > 0)),
    CONSTRAINT vouchers_max_uses_check CHECK ((max_uses >= 0)),
    CONSTRAINT vouchers_qos_down_kbps_check CHECK ((qos_down_kbps >= 0)),
    CONSTRAINT vouchers_qos_quota_mb_check CHECK ((qos_quota_mb >= 0)),
    CONSTRAINT vouchers_qos_up_kbps_check CHECK ((qos_up_kbps >= 0)),
    CONSTRAINT vouchers_status_check CHECK ((status = ANY (ARRAY['valid'::text, 'used'::text, 'expired'::text, 'revoked'::text]))),
    CONSTRAINT vouchers_used_count_check CHECK ((used_count >= 0))
)
PARTITION BY HASH (site_id);

CREATE TABLE public.webhook_sites (
    webhook_id uuid NOT NULL,
    site_id integer NOT NULL
);

CREATE TABLE public.webhooks (
    id uuid NOT NULL,
    name text NOT NULL,
    format text NOT NULL,
    url public.encrypted,
    secret public.encrypted,
    previous_secret public.encrypted,
    previous_secret_until timestamp(3) with time zone,
    all_sites boolean DEFAULT true NOT NULL,
    disabled_at timestamp(3) with time zone,
    disabled_reason text,
    failing_since timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    is_slow boolean DEFAULT false NOT NULL,
    events text[] DEFAULT '{voucher.created}'::text[] NOT NULL,
    language text DEFAULT 'de'::text NOT NULL,
    host_id text,
    removed_at timestamp(3) with time zone,
    lost_sites_at timestamp(3) with time zone,
    CONSTRAINT webhooks_events_check CHECK ((cardinality(events) > 0)),
    CONSTRAINT webhooks_language_check CHECK ((language = ANY (ARRAY['de'::text, 'en'::text])))
);

CREATE TABLE public.withdrawals (
    site_id integer NOT NULL,
    id uuid NOT NULL,
    voucher_id uuid NOT NULL,
    revocation_id uuid,
    due_at timestamp(3) with time zone NOT NULL,
    next_attempt_at timestamp(3) with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    failure text,
    outcome text,
    settled_at timestamp(3) with time zone,
    reason text NOT NULL,
    only_unused boolean DEFAULT false NOT NULL,
    disconnected text,
    disconnect_attempts integer DEFAULT 0 NOT NULL,
    is_bulk boolean DEFAULT false NOT NULL,
    CONSTRAINT withdrawals_check CHECK (((outcome IS NULL) = (settled_at IS NULL))),
    CONSTRAINT withdrawals_disconnected_check CHECK ((disconnected = ANY (ARRAY['all'::text, 'none_online'::text, 'unsupported'::text, 'failed'::text]))),
    CONSTRAINT withdrawals_outcome_check CHECK ((outcome = ANY (ARRAY['revoked'::text, 'ended'::text, 'kept'::text, 'failed'::text]))),
    CONSTRAINT withdrawals_reason_check CHECK ((reason = ANY (ARRAY['request'::text, 'valid_until'::text, 'unused'::text, 'repair'::text])))
);

ALTER TABLE ONLY public.api_key_days
    ADD CONSTRAINT api_key_days_pkey PRIMARY KEY (api_key_id, day);

ALTER TABLE ONLY public.api_key_secrets
    ADD CONSTRAINT api_key_secrets_pkey PRIMARY KEY (prefix);

ALTER TABLE ONLY public.api_key_sites
    ADD CONSTRAINT api_key_sites_pkey PRIMARY KEY (api_key_id, site_id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE public.audit
    ADD CONSTRAINT audit_details_readable CHECK (((jsonb_typeof(details) = 'object'::text) AND (COALESCE(jsonb_typeof((details -> 'changes'::text)), 'object'::text) = 'object'::text) AND (COALESCE(jsonb_typeof((details -> 'before'::text)), 'object'::text) = 'object'::text) AND (NOT jsonb_path_exists(details, 'strict $.**{20}'::jsonpath)) AND (octet_length((details)::text) <= 8000000))) NOT VALID;

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_retention
    ADD CONSTRAINT audit_retention_pkey PRIMARY KEY (only_one);

ALTER TABLE public.audit
    ADD CONSTRAINT audit_texts_readable CHECK (((octet_length(actor_name) <= 10000) AND (octet_length(action) <= 200) AND (octet_length(target_kind) <= 200) AND (octet_length(target_id) <= 200))) NOT VALID;

ALTER TABLE ONLY public.authenticator_apps
    ADD CONSTRAINT authenticator_apps_pkey PRIMARY KEY (id);

ALTER TABLE public.batch_rows
    ADD CONSTRAINT batch_rows_own_values_check CHECK (((state <> 'sent'::text) OR ((reference IS NULL) AND (max_uses IS NULL) AND (expire_minutes IS NULL)) OR (NOT (own_creation_id IS DISTINCT FROM creation_id)))) NOT VALID;

ALTER TABLE ONLY public.batch_rows
    ADD CONSTRAINT batch_rows_pkey PRIMARY KEY (site_id, batch_id, number);

ALTER TABLE ONLY public.batches
    ADD CONSTRAINT batches_actor_idempotency_key_key UNIQUE (actor, idempotency_key);

ALTER TABLE ONLY public.batches
    ADD CONSTRAINT batches_pkey PRIMARY KEY (site_id, id);

ALTER TABLE ONLY public.breaking_migrations
    ADD CONSTRAINT breaking_migrations_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.controller_outages
    ADD CONSTRAINT controller_outages_pkey PRIMARY KEY (controller_id, since);

ALTER TABLE ONLY public.controllers
    ADD CONSTRAINT controllers_name_key UNIQUE (name);

ALTER TABLE ONLY public.controllers
    ADD CONSTRAINT controllers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.creations
    ADD CONSTRAINT creations_actor_idempotency_key_key UNIQUE (actor, idempotency_key);

ALTER TABLE ONLY public.creations
    ADD CONSTRAINT creations_pkey PRIMARY KEY (site_id, id);

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_event_id_webhook_id_key UNIQUE (event_id, webhook_id);

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_pkey PRIMARY KEY (delivery_id, attempt);

ALTER TABLE ONLY public.erasure_items
    ADD CONSTRAINT erasure_items_pkey PRIMARY KEY (erasure_id, kind, site_id, id, number);

ALTER TABLE ONLY public.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.hold
    ADD CONSTRAINT hold_pkey PRIMARY KEY (only_one);

ALTER TABLE public.hold
    ADD CONSTRAINT hold_reason_check CHECK ((reason = ANY (ARRAY['restored'::text, 'command'::text, 'trial'::text]))) NOT VALID;

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (issuer, subject);

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_staff_id_key UNIQUE (staff_id);

ALTER TABLE ONLY public.issuing_counters
    ADD CONSTRAINT issuing_counters_pkey PRIMARY KEY (scope, day);

ALTER TABLE ONLY public.last_backup
    ADD CONSTRAINT last_backup_pkey PRIMARY KEY (only_one);

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.passkey_challenges
    ADD CONSTRAINT passkey_challenges_pkey PRIMARY KEY (owner, purpose);

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_credential_id_key UNIQUE (credential_id);

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.password_links
    ADD CONSTRAINT password_links_pkey PRIMARY KEY (staff_id);

ALTER TABLE ONLY public.password_links
    ADD CONSTRAINT password_links_token_sha256_key UNIQUE (token_sha256);

ALTER TABLE ONLY public.pending_sign_ins
    ADD CONSTRAINT pending_sign_ins_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.pending_sign_ins
    ADD CONSTRAINT pending_sign_ins_token_sha256_key UNIQUE (token_sha256);

ALTER TABLE ONLY public.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (app_id, hash);

ALTER TABLE ONLY public.remembered_requests
    ADD CONSTRAINT remembered_requests_pkey PRIMARY KEY (actor, operation, idempotency_key);

ALTER TABLE ONLY public.revocations
    ADD CONSTRAINT revocations_actor_idempotency_key_key UNIQUE (actor, idempotency_key);

ALTER TABLE ONLY public.revocations
    ADD CONSTRAINT revocations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.setup_token
    ADD CONSTRAINT setup_token_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.site_days
    ADD CONSTRAINT site_days_pkey PRIMARY KEY (site_id, day);

ALTER TABLE ONLY public.site_logos
    ADD CONSTRAINT site_logos_pkey PRIMARY KEY (site_id);

ALTER TABLE ONLY public.site_versions
    ADD CONSTRAINT site_versions_pkey PRIMARY KEY (site_id);

ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_controller_id_controller_site_key UNIQUE (controller_id, controller_site);

ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.staff_addresses
    ADD CONSTRAINT staff_addresses_pkey PRIMARY KEY (staff_id, address);

ALTER TABLE ONLY public.staff
    ADD CONSTRAINT staff_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.staff_sessions
    ADD CONSTRAINT staff_sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.staff_sessions
    ADD CONSTRAINT staff_sessions_token_sha256_key UNIQUE (token_sha256);

ALTER TABLE ONLY public.staff_sites
    ADD CONSTRAINT staff_sites_pkey PRIMARY KEY (staff_id, site_id);

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_site_id_name_key UNIQUE NULLS NOT DISTINCT (site_id, name);

ALTER TABLE ONLY public.vouchers
    ADD CONSTRAINT vouchers_pkey PRIMARY KEY (site_id, id);

ALTER TABLE ONLY public.vouchers
    ADD CONSTRAINT vouchers_site_id_controller_voucher_id_key UNIQUE (site_id, controller_voucher_id);

ALTER TABLE ONLY public.webhook_sites
    ADD CONSTRAINT webhook_sites_pkey PRIMARY KEY (webhook_id, site_id);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_name_key UNIQUE (name);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.withdrawals
    ADD CONSTRAINT withdrawals_pkey PRIMARY KEY (site_id, id);

CREATE INDEX api_key_days_by_day ON public.api_key_days USING btree (day);

CREATE UNIQUE INDEX api_key_secrets_current ON public.api_key_secrets USING btree (api_key_id) WHERE (valid_until IS NULL);

CREATE INDEX api_key_secrets_of ON public.api_key_secrets USING btree (api_key_id);

CREATE INDEX audit_by_action ON public.audit USING btree (action, at DESC, id DESC);

CREATE INDEX audit_by_actor ON public.audit USING btree (actor_id, at DESC, id DESC) WHERE (actor_id IS NOT NULL);

CREATE INDEX audit_by_group ON public.audit USING btree (split_part(action, '.'::text, 1), at DESC, id DESC);

CREATE INDEX audit_by_target ON public.audit USING btree (target_kind, target_id, at DESC, id DESC);

CREATE INDEX audit_by_time ON public.audit USING btree (at DESC, id DESC);

CREATE INDEX audit_with_guest_data ON public.audit USING btree (id) WHERE ((split_part(action, '.'::text, 1) = 'voucher'::text) AND ((details ?| '{name,reference}'::text[]) OR ((details -> 'changes'::text) ?| '{name,reference}'::text[]) OR ((details -> 'before'::text) ?| '{name,reference}'::text[])));

CREATE UNIQUE INDEX authenticator_apps_of ON public.authenticator_apps USING btree (staff_id, ((activated_at IS NULL)));

CREATE INDEX authenticator_apps_unfinished ON public.authenticator_apps USING btree (created_at) WHERE (activated_at IS NULL);

CREATE INDEX batch_rows_by_name ON public.batch_rows USING btree (site_id, lower(name) text_pattern_ops);

CREATE INDEX batch_rows_by_reference ON public.batch_rows USING btree (reference) WHERE (reference IS NOT NULL);

CREATE INDEX batch_rows_to_forget ON public.batch_rows USING btree (site_id, batch_id) WHERE ((state = ANY (ARRAY['failed'::text, 'cancelled'::text])) AND (erased_at IS NULL));

CREATE INDEX batches_by_reference ON public.batches USING btree (reference) WHERE (reference IS NOT NULL);

CREATE INDEX batches_due ON public.batches USING btree (next_run_at) WHERE (finished_at IS NULL);

CREATE INDEX batches_finished ON public.batches USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX batches_list ON public.batches USING btree (site_id, created_at DESC, id DESC);

CREATE INDEX batches_open_by_actor ON public.batches USING btree (actor) WHERE (finished_at IS NULL);

CREATE INDEX batches_open_by_site ON public.batches USING btree (site_id, next_run_at) WHERE (finished_at IS NULL);

CREATE INDEX controller_outages_ended ON public.controller_outages USING btree (until) WHERE (until IS NOT NULL);

CREATE UNIQUE INDEX controller_outages_open ON public.controller_outages USING btree (controller_id) WHERE (until IS NULL);

CREATE INDEX creations_by_lease ON public.creations USING btree (lease_until) WHERE (settled_at IS NULL);

CREATE INDEX creations_by_settled ON public.creations USING btree (settled_at) WHERE (settled_at IS NOT NULL);

CREATE INDEX creations_superseded ON public.creations USING btree (site_id, superseded_by) WHERE (superseded_by IS NOT NULL);

CREATE INDEX creations_unclear ON public.creations USING btree (site_id, COALESCE(note, controller_name)) WHERE ((settled_at IS NULL) OR (state = 'absent'::text));

CREATE INDEX deliveries_by_webhook ON public.deliveries USING btree (webhook_id, created_at DESC, id DESC);

CREATE INDEX deliveries_pending ON public.deliveries USING btree (next_attempt_at, id) WHERE (state = 'pending'::text);

CREATE INDEX deliveries_unsettled ON public.deliveries USING btree (webhook_id, created_at DESC, id DESC) INCLUDE (state) WHERE (state <> 'delivered'::text);

CREATE INDEX erasures_by_time ON public.erasures USING btree (at DESC, id DESC);

CREATE INDEX erasures_unfinished ON public.erasures USING btree (at) WHERE (finished_at IS NULL);

CREATE INDEX events_by_time ON public.events USING btree (created_at);

CREATE INDEX events_with_references ON public.events USING gin (((jsonb_path_query_array(data, '$."vouchers"[*]."id"'::jsonpath) || jsonb_path_query_array(data, '$."batch_id"'::jsonpath)))) WHERE ((data @? '$."vouchers"[*]."reference"?(@ != null)'::jsonpath) OR ((data ->> 'reference'::text) IS NOT NULL));

CREATE INDEX issuing_counters_by_day ON public.issuing_counters USING btree (day);

CREATE INDEX messages_by_recipient ON public.messages USING btree (recipient_id, id) WHERE (recipient_id IS NOT NULL);

CREATE INDEX messages_by_voucher ON public.messages USING btree (site_id, voucher_id);

CREATE INDEX messages_due ON public.messages USING btree (next_attempt_at) WHERE (state = 'waiting'::text);

CREATE INDEX messages_forgotten ON public.messages USING btree (created_at) WHERE ((state = 'prepared'::text) AND (kind = 'forgotten_password'::text));

CREATE INDEX messages_prepared ON public.messages USING btree (creation_id) WHERE (state = 'prepared'::text);

CREATE INDEX messages_settled ON public.messages USING btree (settled_at) WHERE (settled_at IS NOT NULL);

CREATE INDEX messages_with_address ON public.messages USING btree (settled_at) WHERE (email IS NOT NULL);

CREATE INDEX passkey_challenges_by_end ON public.passkey_challenges USING btree (expires_at);

CREATE INDEX passkeys_of ON public.passkeys USING btree (staff_id);

CREATE INDEX password_links_by_end ON public.password_links USING btree (expires_at);

CREATE INDEX pending_sign_ins_by_end ON public.pending_sign_ins USING btree (expires_at);

CREATE INDEX pending_sign_ins_of ON public.pending_sign_ins USING btree (staff_id);

CREATE INDEX rate_limits_by_end ON public.rate_limits USING btree (ends_at);

CREATE INDEX remembered_requests_by_target ON public.remembered_requests USING btree (target) WHERE ((operation = 'change voucher'::text) AND (request_hash_key IS NULL));

CREATE INDEX remembered_requests_by_time ON public.remembered_requests USING btree (created_at);

CREATE INDEX revocations_by_site ON public.revocations USING gin (site_ids);

CREATE INDEX revocations_newest ON public.revocations USING btree (created_at DESC, id DESC);

CREATE INDEX revocations_without_sites ON public.revocations USING btree (COALESCE(api_key_id, staff_id), created_at DESC, id DESC) WHERE (site_ids = '{}'::integer[]);

CREATE INDEX site_days_by_day ON public.site_days USING btree (day);

CREATE INDEX sites_by_name ON public.sites USING btree (name, id) WHERE active;

CREATE INDEX sites_by_next_sync ON public.sites USING btree (next_sync_at) WHERE active;

CREATE INDEX staff_addresses_by_use ON public.staff_addresses USING btree (signed_in_at);

CREATE UNIQUE INDEX staff_by_email ON public.staff USING btree (lower(email));

CREATE UNIQUE INDEX staff_by_email_in_any_case ON public.staff USING btree (lower((email COLLATE public.natural_order)));

CREATE INDEX staff_sessions_by_use ON public.staff_sessions USING btree (last_seen_at);

CREATE INDEX staff_sessions_of ON public.staff_sessions USING btree (staff_id);

CREATE UNIQUE INDEX templates_one_default ON public.templates USING btree (site_id) NULLS NOT DISTINCT WHERE is_default;

CREATE INDEX vouchers_by_batch ON ONLY public.vouchers USING btree (batch_id, site_id) WHERE (batch_id IS NOT NULL);

CREATE INDEX vouchers_by_code ON ONLY public.vouchers USING btree (code text_pattern_ops, site_id);

CREATE INDEX vouchers_by_first_name ON ONLY public.vouchers USING btree (site_id, lower(public.without_date(controller_name)) text_pattern_ops) WHERE (name <> public.without_date(controller_name));

CREATE INDEX vouchers_by_first_name_words ON ONLY public.vouchers USING gin (site_id, public.without_date(controller_name) public.gin_trgm_ops) WHERE (name <> public.without_date(controller_name));

CREATE INDEX vouchers_by_maker ON ONLY public.vouchers USING btree (site_id, COALESCE(api_key_id, staff_id), created_at DESC, id DESC) WHERE (COALESCE(api_key_id, staff_id) IS NOT NULL);

CREATE INDEX vouchers_by_name ON ONLY public.vouchers USING gin (site_id, name public.gin_trgm_ops);

CREATE INDEX vouchers_by_name_prefix ON ONLY public.vouchers USING btree (site_id, lower(name) text_pattern_ops);

CREATE INDEX vouchers_by_reference ON ONLY public.vouchers USING btree (reference, site_id) WHERE (reference IS NOT NULL);

CREATE INDEX vouchers_by_status ON ONLY public.vouchers USING btree (site_id, status, created_at DESC, id DESC);

CREATE UNIQUE INDEX vouchers_claim_by_code ON ONLY public.vouchers USING btree (site_id, code) WHERE (controller_voucher_id IS NULL);

CREATE INDEX vouchers_ending ON ONLY public.vouchers USING btree (expires_at, site_id) WHERE ((status = ANY (ARRAY['valid'::text, 'used'::text])) AND (NOT end_told) AND (expires_at IS NOT NULL));

CREATE INDEX vouchers_list ON ONLY public.vouchers USING btree (site_id, created_at DESC, id DESC);

CREATE INDEX vouchers_newest ON ONLY public.vouchers USING btree (created_at DESC, id DESC) WHERE (code <> ''::text);

CREATE INDEX vouchers_of_controllers ON ONLY public.vouchers USING btree (site_id, created_at DESC, id DESC) WHERE ((api_key_id IS NULL) AND (staff_id IS NULL));

CREATE INDEX vouchers_running ON ONLY public.vouchers USING btree (expires_at, site_id) WHERE ((status = 'valid'::text) AND (expires_at IS NOT NULL));

CREATE INDEX vouchers_to_erase ON ONLY public.vouchers USING btree (site_id, id) WHERE ((erasure_id IS NOT NULL) AND (erased_at IS NULL));

CREATE INDEX vouchers_to_forget ON ONLY public.vouchers USING btree (site_id, COALESCE(LEAST(expires_at, valid_until, revoked_at,
CASE
    WHEN (first_used_at IS NULL) THEN unused_until
    ELSE NULL::timestamp with time zone
END), synced_at, created_at), id) WHERE ((status <> 'valid'::text) AND (erased_at IS NULL));

CREATE INDEX webhook_sites_by_site ON public.webhook_sites USING btree (site_id, webhook_id);

CREATE INDEX webhooks_lost_sites ON public.webhooks USING btree (lost_sites_at) WHERE (lost_sites_at IS NOT NULL);

CREATE INDEX webhooks_of_all_sites ON public.webhooks USING btree (id) WHERE (all_sites AND (disabled_at IS NULL));

CREATE INDEX webhooks_previous_secrets ON public.webhooks USING btree (previous_secret_until) WHERE (previous_secret_until IS NOT NULL);

CREATE UNIQUE INDEX withdrawals_by_revocation ON public.withdrawals USING btree (revocation_id, site_id, voucher_id) WHERE (revocation_id IS NOT NULL);

CREATE INDEX withdrawals_by_voucher ON public.withdrawals USING btree (site_id, voucher_id);

CREATE INDEX withdrawals_done ON public.withdrawals USING btree (settled_at) WHERE ((settled_at IS NOT NULL) AND (revocation_id IS NULL));

CREATE INDEX withdrawals_due ON public.withdrawals USING btree (next_attempt_at, site_id) WHERE (settled_at IS NULL);

CREATE INDEX withdrawals_due_by_kind ON public.withdrawals USING btree ((
CASE
    WHEN (is_bulk OR (reason = 'repair'::text)) THEN 'bulk'::text
    WHEN only_unused THEN 'conditional'::text
    WHEN (reason = 'valid_until'::text) THEN 'end'::text
    ELSE 'small'::text
END), next_attempt_at, site_id) WHERE (settled_at IS NULL);

CREATE INDEX withdrawals_due_by_site ON public.withdrawals USING btree (site_id, next_attempt_at) WHERE (settled_at IS NULL);

CREATE INDEX withdrawals_due_by_site_and_kind ON public.withdrawals USING btree (site_id, (
CASE
    WHEN (is_bulk OR (reason = 'repair'::text)) THEN 'bulk'::text
    WHEN only_unused THEN 'conditional'::text
    WHEN (reason = 'valid_until'::text) THEN 'end'::text
    ELSE 'small'::text
END), next_attempt_at) WHERE (settled_at IS NULL);

CREATE UNIQUE INDEX withdrawals_scheduled ON public.withdrawals USING btree (site_id, voucher_id) WHERE ((reason = 'valid_until'::text) AND (settled_at IS NULL));

CREATE TRIGGER api_keys_renamed AFTER UPDATE OF name ON public.api_keys FOR EACH ROW WHEN ((old.name IS DISTINCT FROM new.name)) EXECUTE FUNCTION public.move_version_of_names();

CREATE TRIGGER count_issuing_back AFTER UPDATE OF state ON public.creations FOR EACH ROW WHEN (((old.issuing_counters IS NOT NULL) AND ((old.state = ANY (ARRAY['rejected'::text, 'absent'::text])) <> (new.state = ANY (ARRAY['rejected'::text, 'absent'::text]))))) EXECUTE FUNCTION public.count_issuing_back();

CREATE TRIGGER reject_late_audit AFTER INSERT ON public.audit FOR EACH STATEMENT WHEN (((clock_timestamp() - transaction_timestamp()) > public.audit_longest_transaction())) EXECUTE FUNCTION public.reject_late_audit();

CREATE TRIGGER settle_message AFTER UPDATE OF state ON public.creations FOR EACH ROW WHEN ((new.has_message AND (new.state IS DISTINCT FROM old.state))) EXECUTE FUNCTION public.settle_message();

CREATE TRIGGER settle_message_of_row AFTER UPDATE OF state ON public.batch_rows FOR EACH ROW WHEN (((new.message_id IS NOT NULL) AND (new.state IS DISTINCT FROM old.state) AND (new.state = ANY (ARRAY['made'::text, 'failed'::text, 'cancelled'::text])))) EXECUTE FUNCTION public.settle_message_of_row();

CREATE TRIGGER staff_renamed AFTER UPDATE OF name ON public.staff FOR EACH ROW WHEN ((old.name IS DISTINCT FROM new.name)) EXECUTE FUNCTION public.move_version_of_names();

CREATE TRIGGER vouchers_deleted AFTER DELETE ON public.vouchers REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.move_site_versions();

CREATE TRIGGER vouchers_inserted AFTER INSERT ON public.vouchers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.move_site_versions();

CREATE TRIGGER vouchers_truncated AFTER TRUNCATE ON public.vouchers FOR EACH STATEMENT EXECUTE FUNCTION public.move_all_site_versions();

CREATE TRIGGER vouchers_updated AFTER UPDATE ON public.vouchers REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.move_site_versions_by_update();

ALTER TABLE ONLY public.api_key_days
    ADD CONSTRAINT api_key_days_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id);

ALTER TABLE ONLY public.api_key_secrets
    ADD CONSTRAINT api_key_secrets_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id);

ALTER TABLE ONLY public.api_key_sites
    ADD CONSTRAINT api_key_sites_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id);

ALTER TABLE ONLY public.api_key_sites
    ADD CONSTRAINT api_key_sites_site_id_fkey FOREIGN KEY (site_id) REFERENCES public.sites(id);

ALTER TABLE ONLY public.authenticator_apps
    ADD CONSTRAINT authenticator_apps_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES public.staff(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.batches
    ADD CONSTRAINT batches_site_id_fkey FOREIGN KEY (site_id) REFERENCES public.sites(id);

ALTER TABLE ONLY public.controller_outages
    ADD CONSTRAINT controller_outages_controller_id_fkey FOREIGN KEY (controller_id) REFERENCES public.controllers(id);

ALTER TABLE ONLY public.creations
    ADD CONSTRAINT creations_site_id_fkey FOREIGN KEY (site_id) REFERENCES public.sites(id);

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.deliveries(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.erasure_items
    ADD CONSTRAINT erasure_items_erasure_id_fkey FOREIGN KEY (erasure_id) REFERENCES public.erasures(id);

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES public.staff(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES public.staff(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.password_links
    ADD CONSTRAINT password_links_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.staff(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.password_links
    ADD CONSTRAINT password_links_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES public.staff(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pending_sign_ins
    ADD CONSTRAINT pending_sign_ins_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES public.staff(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_app_id_fkey FOREIGN KEY (app_id) REFERENCES public.authenticator_apps(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.site_logos
    ADD CONSTRAINT site_logos_site_id_fkey FOREIGN KEY (site_id) REFERENCES public.sites(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_controller_id_fkey FOREIGN KEY (controller_id) REFERENCES public.controllers(id);

ALTER TABLE ONLY public.staff_addresses
    ADD CONSTRAINT staff_addresses_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES public.staff(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.staff_sessions
    ADD CONSTRAINT staff_sessions_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES public.staff(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.staff_sites
    ADD CONSTRAINT staff_sites_site_id_fkey FOREIGN KEY (site_id) REFERENCES public.sites(id);

ALTER TABLE ONLY public.staff_sites
    ADD CONSTRAINT staff_sites_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES public.staff(id);

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_site_id_fkey FOREIGN KEY (site_id) REFERENCES public.sites(id);

ALTER TABLE ONLY public.webhook_sites
    ADD CONSTRAINT webhook_sites_site_id_fkey FOREIGN KEY (site_id) REFERENCES public.sites(id);

ALTER TABLE ONLY public.webhook_sites
    ADD CONSTRAINT webhook_sites_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;
