import { type Static, type TObject, Type } from 'typebox'
import type { Queryable } from '#db/database.ts'
import {
  type AuditFilter,
  canChangeAudit,
  listAuditIds,
  listAudits,
  listAuditsByIds,
  type RecordedAudit,
} from '#domain/audit/audit.queries.ts'
import { withSnakeCase } from '#lib/snake-case.ts'
import { searchText, textOrNull, time } from '../kit/fields.ts'
import { separatorField } from '../kit/files/csv.ts'
import { exportCsv, tooManyExports } from '../kit/files/export-csv.ts'
import { operation } from '../kit/operation.ts'
import { cutPage, nextCursor, pageQuery, readTimeCursor, timeCursor } from '../kit/pages.ts'

const actorKind = Type.Enum(['key', 'staff', 'command', 'service'], {
  description: 'An API key, a person, the command line, or the service itself.',
})
const targetKind = Type.String({ maxLength: 40, pattern: '^[a-z_]+$', examples: ['site'] })

const auditEntry = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    at: time,
    actor: Type.Object({
      kind: actorKind,
      id: { ...textOrNull, description: 'The id of the key or person. Null for the command line and for the service.' },
      name: Type.String({ description: 'The name of the actor at that time.' }),
    }),
    action: Type.String({ examples: ['site.changed'] }),
    target: Type.Object({
      kind: targetKind,
      id: Type.String(),
      name: { ...textOrNull, description: 'The name of the target at that time, or now; null if neither is known.' },
    }),
    address: {
      ...textOrNull,
      description:
        'The address from which the request came. Null if no request caused the entry, for example for the command line.',
    },
    details: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description:
        'A change has `changes`, the new values, and `before`, the old values of the same fields. Secrets are never included.',
    }),
  },
  { title: 'AuditEntry' },
)

const filterFields = {
  text: Type.Optional({
    ...searchText,
    description:
      'Only entries with this text in the name of the actor, in the name of the target or in the action; upper and lower case are the same.',
  }),
  actor_kind: Type.Optional(actorKind),
  actor_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only entries of this key or person.' })),
  action: Type.Optional(
    Type.Array(Type.String({ maxLength: 60, pattern: '^[a-z_]+(\\.[a-z_]+)?$', examples: ['site.changed'] }), {
      maxItems: 100,
      description: 'Only this action, or this group of actions: `site` includes `site.changed`. May be repeated.',
    }),
  ),
  target_kind: Type.Optional(targetKind),
  target_id: Type.Optional(
    Type.String({ maxLength: 60, pattern: '^[0-9a-f-]+$', description: 'Only entries about the target with this id.' }),
  ),
  after: Type.Optional({ ...time, description: 'Only entries after this time, not exactly at it.' }),
  before: Type.Optional({ ...time, description: 'Only entries before this time, not exactly at it.' }),
}

export const listAudit = operation({
  method: 'GET',
  path: '/audit',
  operationId: 'listAudit',
  summary: 'List who did what, newest first',
  role: 'admin',
  status: 200,
  tooMany: 'the person sends too many searches at once',
  query: Type.Object({ ...filterFields, ...pageQuery }, { additionalProperties: false }),
  answer: Type.Object({
    entries: Type.Array(auditEntry),
    next_cursor: nextCursor,
    can_be_changed: Type.Boolean({
      description:
        'Whether the service could change or delete entries, because its role of PostgreSQL may do that. With a role of its own, the service can only read entries and add new ones.',
    }),
  }),
  async handle({ db, searches }, { actor, query: { limit = 50, cursor, ...filter } }) {
    const list = (from: Queryable) =>
      listAudits(from, readFilter(filter), { last: readTimeCursor(cursor), limit: limit + 1 })
    const found = filter.text === undefined ? await list(db) : await searches.run(actor, list) // no index finds a text
    const { rows, next_cursor } = cutPage(found, limit, timeCursor)
    return { entries: rows.map(toWire), next_cursor, can_be_changed: await canChangeAudit(db) }
  },
})

export const exportAudit = operation({
  method: 'GET',
  path: '/audit/export',
  operationId: 'exportAudit',
  summary: 'Download the audit as CSV, with the filters of the list, newest first, at most 10,000 entries',
  role: 'admin',
  status: 200,
  tooMany: tooManyExports,
  query: Type.Object({ ...filterFields, separator: separatorField }, { additionalProperties: false }),
  answer: Type.String(),
  csvFileName: () => 'audit.csv',
  handle: ({ exports }, call) =>
    exportCsv(exports, call, {
      columns,
      separator: call.query.separator,
      open: async (db, limit) => ({
        keys: await listAuditIds(db, readFilter(call.query), limit),
        listRows: async (ids: string[]) => (await listAuditsByIds(db, ids)).map(toRow),
      }),
    }),
})

function readFilter(query: Static<TObject<typeof filterFields>>): AuditFilter {
  const { text, actor_kind, actor_id, action, target_kind, target_id, after, before } = query
  return {
    text,
    actorKind: actor_kind,
    actorId: actor_id,
    actions: action,
    targetKind: target_kind,
    targetId: target_id,
    after: after === undefined ? undefined : new Date(after),
    before: before === undefined ? undefined : new Date(before),
  }
}

function toWire(entry: RecordedAudit): Static<typeof auditEntry> {
  const { id, createdAt, actorKind: kind, actorId, actorName, action, targetKind, targetId, targetName } = entry
  return {
    id,
    at: createdAt.toISOString(),
    actor: { kind, id: actorId, name: actorName },
    action,
    target: { kind: targetKind, id: targetId, name: targetName },
    address: entry.address,
    details: withSnakeCase(entry.details) as Record<string, unknown>,
  }
}

const columns = [
  'at',
  'actor_kind',
  'actor_id',
  'actor',
  'action',
  'target_kind',
  'target_id',
  'target',
  'address',
  'details',
]

function toRow(entry: RecordedAudit): (string | null)[] {
  const { at, actor, action, target, address, details } = toWire(entry)
  const text = JSON.stringify(details)
  return [at, actor.kind, actor.id, actor.name, action, target.kind, target.id, target.name, address, text]
}
