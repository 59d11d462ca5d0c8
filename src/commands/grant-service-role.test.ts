import { expect, test } from 'vitest'
import type { Database } from '#db/database.ts'
import { findWayToAudit, listForbiddenTables, type WayToAudit } from '#db/service-role.queries.ts'
import { deleteOldAudit, stripAudit, updateAuditRetention } from '#domain/audit/audit.queries.ts'
import { recordAudit } from '#domain/audit/record-audit.ts'
import { runCommand } from '#test/command.ts'
import { testActor } from '#test/data/seed.ts'
import { createTwoRoles } from '#test/data/two-roles.ts'

const { admin, owner, service, ownerUrl, serviceUrl, serviceRole } = await createTwoRoles()
const addEntry = (db: Database) =>
  recordAudit(db, testActor, { action: 'site.added', targetKind: 'site', targetId: '7' })
const migrate = (role = serviceRole) => runCommand(ownerUrl, ['migrate'], { env: { SERVICE_ROLE: role } })

const forbidden = { code: '42501' }

test('the role of the service adds entries to the audit and reads them', async () => {
  await addEntry(service)

  expect((await service.query('select action from audit')).rows).toEqual([{ action: 'site.added' }])
  expect(await listForbiddenTables(service)).toEqual([])
  expect(await findWayToAudit(service)).toBeUndefined()
})

test.each([
  `update audit set action = 'x'`,
  'delete from audit',
  'truncate audit',
  'drop table audit',
  'alter table audit rename to old_audit',
  'alter table audit disable trigger all',
  'create trigger t before insert on audit for each row execute function suppress_redundant_updates_trigger()',
  'create rule r as on insert to audit do instead nothing',
  `insert into audit (id, at, actor_kind, actor_name, action, target_kind, target_id)
   values (gen_random_uuid(), '2020-01-01', 'key', 'x', 'x', 'x', 'x')`,
  `insert into audit (id, actor_kind, actor_name, action, target_kind, target_id)
   select id, 'key', 'x', 'x', 'x', 'x' from audit on conflict (id) do update set action = 'x'`,
  'select 1 from audit for update',
  'update audit_retention set days = 30',
  'delete from audit_retention',
  'delete from migrations',
  'insert into breaking_migrations default values',
  `insert into pgboss.bam (name, version, status, command) values ('x', 1, 'pending', 'drop table audit')`,
  'update pgboss.bam set command = command',
  'delete from pgboss.bam',
  `update pgboss.queue set table_name = 'audit'`,
  'update pgboss.queue set name = name',
  'update pgboss.queue set policy = policy',
  'update pgboss.queue set partition = partition',
  'update pgboss.queue set dead_letter = dead_letter',
  'update pgboss.version set version = 1',
  'create or replace function delete_old_audit(max_rows integer) returns integer language sql as $$ select 1 $$',
  'alter function strip_audit(integer) security invoker',
  `create or replace function audit_longest_transaction() returns interval language sql return interval '1 day'`,
  'drop trigger reject_late_audit on audit',
  'alter table audit drop constraint audit_details_readable',
  'create function public.own() returns integer language sql as $$ select 1 $$',
  'create table public.own (id integer)',
  'create schema own',
  'drop schema public cascade',
])('PostgreSQL rejects as the role of the service: %s', async (statement) => {
  await addEntry(service)
  const count = async () => (await owner.query('select action from audit order by id')).rows
  const before = await count()

  await expect(service.query(statement)).rejects.toMatchObject(forbidden)

  expect(await count()).toEqual(before)
})

test('`grant` of the service gives nobody a right', async () => {
  await service.query(`grant select, update on audit to public`) // PostgreSQL only warns

  const { rows } = await owner.query(`select has_table_privilege('public', 'audit', 'select, update') as may`)
  expect(rows).toEqual([{ may: false }])
})

test('old entries are deleted by the function of the owner, after the days that the owner stored', async () => {
  await owner.query(`insert into audit (id, at, actor_kind, actor_name, action, target_kind, target_id)
    values (gen_random_uuid(), now() - interval '40 days', 'key', 'x', 'x.old', 'x', 'x')`)

  expect(await deleteOldAudit(service)).toBe(0)
  expect(await updateAuditRetention(service, 30)).toBe(false)
  await updateAuditRetention(owner, 30)

  expect([await deleteOldAudit(service), await stripAudit(service)]).toEqual([1, 0])
  await updateAuditRetention(owner, undefined)
})

test.each([
  ['delete_old_audit', 2_000],
  ['strip_audit', 1_000],
])('a call of %s by the service changes at most %i entries', async (name, most) => {
  await updateAuditRetention(owner, 30)
  await owner.query(`insert into audit (id, at, actor_kind, actor_name, action, target_kind, target_id, details)
    select gen_random_uuid(), now() - interval '40 days', 'key', 'x', 'voucher.changed', 'voucher', 'x', '{"name": "x"}'
      from generate_series(1, 2001)`)
  const { rows } = await service.query(`select ${name}(2147483647) as changed`)
  await owner.query('delete from audit')
  await updateAuditRetention(owner, undefined)

  expect(rows).toEqual([{ changed: most }])
})

test('functions that run as the owner ignore the search_path of their caller', async () => {
  const { rows } = await owner.query(
    `select proname as name, proconfig as settings from pg_proc
      where prosecdef and pronamespace = 'public'::regnamespace order by 1`,
  )
  const settings = ['search_path=pg_catalog, pg_temp']

  expect(rows).toEqual([
    { name: 'delete_old_audit', settings },
    { name: 'strip_audit', settings },
  ])
})

test('the service uses the tables of later migrations at once, and `migrate` revokes what was granted before', async () => {
  await owner.query('create table later (id integer generated always as identity, name text)')
  await service.query(`insert into later (name) values ('x')`)
  await owner.query(`grant truncate, references on later to ${serviceRole}`)
  await owner.query(`grant update, delete on audit to ${serviceRole}`)

  expect((await migrate()).exitCode).toBe(0)

  await expect(service.query('truncate later')).rejects.toMatchObject(forbidden)
  await expect(service.query('delete from audit')).rejects.toMatchObject(forbidden)
  await owner.query('drop table later')
})

/** The results of `doctor` about rights and the audit. */
async function examineRoles(url: string): Promise<(string | undefined)[][]> {
  const all = (await runCommand(url, ['doctor', '--json', '--no-controllers'])).json() as Record<string, string>[]
  return all
    .filter(({ check }) => check === 'audit' || check === 'rights')
    .map(({ result, message }) => [result, message])
}

const database = new URL(ownerUrl).pathname.slice(1)
const ownerRole = new URL(ownerUrl).username
const ways: [way: string, grant: string, revoke: string, words: string][] = [
  ['superuser', `alter role ${serviceRole} superuser`, `alter role ${serviceRole} nosuperuser`, 'is a superuser'],
  [
    'owner',
    `grant ${ownerRole} to ${serviceRole}; alter role ${serviceRole} noinherit`,
    `revoke ${ownerRole} from ${serviceRole}; alter role ${serviceRole} inherit`,
    `is a member of the role "${ownerRole}". That role owns the tables`,
  ],
  [
    'creates roles',
    `alter role ${serviceRole} createrole`,
    `alter role ${serviceRole} nocreaterole`,
    'may create roles',
  ],
  [
    'runs programs',
    `grant pg_execute_server_program to ${serviceRole}`,
    `revoke pg_execute_server_program from ${serviceRole}`,
    'may write files or run programs',
  ],
  [
    'has rights',
    `grant pg_write_all_data to ${serviceRole}`,
    `revoke pg_write_all_data from ${serviceRole}`,
    'pg_write_all_data',
  ],
  [
    'has rights',
    'grant truncate on audit to public',
    'revoke truncate on audit from public',
    'may write the table audit',
  ],
  [
    'has rights',
    'grant update (days) on audit_retention to public',
    'revoke update (days) on audit_retention from public',
    'audit_retention',
  ],
  [
    'creates objects',
    'grant create on schema public to public',
    'revoke create on schema public from public',
    'may create objects',
  ],
  [
    'creates objects',
    `grant create on database ${database} to ${serviceRole}`,
    `revoke create on database ${database} from ${serviceRole}`,
    'may create objects',
  ],
]

test.each(ways)(
  'a role that could change the audit is rejected, and no right changes: %s, by %s',
  async (way, grant, revoke, words) => {
    await owner.query(`revoke select on sites from ${serviceRole}`)
    await admin.query(grant)

    const { exitCode, stderr } = await migrate()
    const found = await findWayToAudit(service)
    const { rows } = await owner.query(
      `select exists (select from pg_class, aclexplode(relacl) where oid = 'sites'::regclass and grantee = $1::regrole
                     and privilege_type = 'SELECT') as granted`,
      [serviceRole],
    )
    await admin.query(revoke)

    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(words)])
    expect(found?.way).toBe(way)
    expect(rows).toEqual([{ granted: false }])
    expect((await migrate()).exitCode).toBe(0)
  },
)

const group = `${serviceRole}_group`

/** The way to the audit that the role of the service has as a member of a role, after a statement. Nothing is committed. */
async function findWayOfMember(statement: string): Promise<WayToAudit | undefined> {
  return admin.transaction(async (tx) => {
    await tx.query(`create role ${group}; grant ${group} to ${serviceRole}; alter role ${serviceRole} noinherit`)
    await tx.query(statement)
    const found = await findWayToAudit(tx, serviceRole)
    await tx.query('rollback')
    return found
  })
}

const grants = (rights: string[], object: string) => rights.map((right) => `grant ${right} on ${object} to ${group}`)
const changesOfOwner = (objects: string[]) => objects.map((object) => `alter ${object} owner to ${group}`)
const functions = [
  'delete_old_audit(integer)',
  'strip_audit(integer)',
  'audit_longest_transaction()',
  'reject_late_audit()',
]
const waysOfMembers: [way: WayToAudit['way'], via: string, statements: string[]][] = [
  ['superuser', group, [`alter role ${group} superuser`]],
  ['owner', group, changesOfOwner(['table audit', 'table audit_retention', 'schema public', `database ${database}`])],
  ['owner', group, changesOfOwner(functions.map((name) => `function ${name}`))],
  ['creates roles', group, [`alter role ${group} createrole`]],
  ['runs programs', 'pg_execute_server_program', [`grant pg_execute_server_program to ${group}`]],
  ['runs programs', 'pg_write_server_files', [`grant pg_write_server_files to ${group}`]],
  ['has rights', group, [`grant pg_write_all_data to ${group}`]],
  ['has rights', group, grants(['update', 'delete', 'truncate', 'trigger', 'update (action)'], 'audit')],
  ['has rights', group, grants(['update', 'delete', 'truncate', 'trigger', 'insert (days)'], 'audit_retention')],
  ['creates objects', group, [...grants(['create'], 'schema public'), ...grants(['create'], `database ${database}`)]],
]

test.each(
  waysOfMembers.flatMap(([way, via, statements]) => statements.map((statement) => [way, statement, via] as const)),
)('a member of another role can change the audit (%s) after: %s', async (way, statement, via) => {
  expect(await findWayOfMember(statement)).toEqual({ way, role: serviceRole, via })
})

test('a member of a role that only reads the audit cannot change it', async () => {
  expect(await findWayOfMember(`grant select on audit, audit_retention to ${group}`)).toBeUndefined()
})

test.each(ways.slice(0, 2))(
  '`doctor` warns if the role of the service got too many rights later: %s',
  async (_, grant, revoke, words) => {
    await admin.query(grant)
    const found = await examineRoles(serviceUrl)
    await admin.query(revoke)

    expect(found).toContainEqual(['warning', expect.stringContaining(words)])
  },
)

test('the owner itself, and a role that does not exist, are rejected', async () => {
  expect((await migrate(ownerRole)).stderr).toContain(`The role "${ownerRole}" owns the tables`)
  expect((await migrate('nobody here')).stderr).toContain(
    `The role "nobody here" of SERVICE_ROLE does not exist. Create it: \`sudo -u postgres createuser --pwprompt 'nobody here'\``,
  )
})

test('a role with SET ROLE in its address is judged by the role that it can return to', async () => {
  await admin.query(`grant ${serviceRole} to ${ownerRole}`)
  const { exitCode, stdout } = await runCommand(`${ownerUrl}?options=-c%20role=${serviceRole}`, [
    'doctor',
    '--no-controllers',
  ])

  expect([exitCode, stdout]).toEqual([
    expect.any(Number),
    expect.stringContaining('The service could change the audit.'),
  ])
})

test('`migrate` with the role of the service names the owner and changes nothing', async () => {
  const { exitCode, stderr } = await runCommand(serviceUrl, ['migrate'])

  expect([exitCode, stderr]).toEqual([
    1,
    `voucher-service: The tables belong to the role "${ownerRole}", and DATABASE_URL has the role "${serviceRole}". Run \`voucher-service migrate\` as the owner: with the address of "${ownerRole}" in DATABASE_URL.\n`,
  ])
})

test('`doctor` says for both roles whether the service can change the audit', async () => {
  expect(await examineRoles(serviceUrl)).toEqual([
    [
      'ok',
      `The role "${serviceRole}" has the rights it needs. \`voucher-service migrate\` needs the owner "${ownerRole}".`,
    ],
    ['ok', 'The service cannot change the audit: its role may only read it and add entries.'],
  ])
  expect(await examineRoles(ownerUrl)).toEqual([
    ['ok', expect.stringContaining('has the rights it needs, and the extensions are installed.')],
    ['ok', expect.stringContaining(`The service could change the audit. The role "${ownerRole}" owns the tables`)],
  ])
})

test.each([
  ['does not exist', () => 'nobody', 'does not exist'],
  ['owns the database', (url: string) => new URL(url).username, 'owns the tables, their schema or the database'],
  ['is a superuser', (_: string, superuser: string) => superuser, 'is a superuser'],
])('a role that %s is rejected before the first migration', async (_, roleOf, words) => {
  const empty = await createTwoRoles({ isMigrated: false })
  const { rows } = await empty.admin.query<{ role: string }>('select current_user as role')
  const env = { SERVICE_ROLE: roleOf(empty.ownerUrl, rows[0]?.role as string) }

  const { exitCode, stderr } = await runCommand(empty.ownerUrl, ['migrate'], { env })

  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(words)])
  expect((await empty.admin.query(`select from pg_class where relnamespace = 'public'::regnamespace`)).rowCount).toBe(0)
})

test('the owner as SERVICE_ROLE is rejected with the advice to use another role', async () => {
  const empty = await createTwoRoles({ isMigrated: false })
  const env = { SERVICE_ROLE: new URL(empty.ownerUrl).username }

  const { stderr } = await runCommand(empty.ownerUrl, ['migrate'], { env })

  expect(stderr).toContain('so it can change the audit. Give the service another role, one that only it uses.')
})

test('a role that may write all tables is rejected before the first migration', async () => {
  const empty = await createTwoRoles({ isMigrated: false })
  await empty.admin.query(`grant pg_write_all_data to ${empty.serviceRole}`)

  const { exitCode, stderr } = await runCommand(empty.ownerUrl, ['migrate'], {
    env: { SERVICE_ROLE: empty.serviceRole },
  })

  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('pg_write_all_data')])
  expect((await empty.admin.query(`select from pg_class where relnamespace = 'public'::regnamespace`)).rowCount).toBe(0)
})

test('the first `migrate` without SERVICE_ROLE says that only the owner can use the database; later ones do not', async () => {
  const empty = await createTwoRoles({ isMigrated: false })
  const name = new URL(empty.ownerUrl).username

  const first = await runCommand(empty.ownerUrl, ['migrate'])
  const second = await runCommand(empty.ownerUrl, ['migrate'])

  expect([first.exitCode, first.stderr]).toEqual([
    0,
    expect.stringContaining(`Only the role "${name}" can use this database, because SERVICE_ROLE is not set.`),
  ])
  expect([second.exitCode, second.stderr]).toEqual([0, ''])
})
