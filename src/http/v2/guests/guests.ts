import { type Static, Type } from 'typebox'
import type { Requester } from '#domain/actor.ts'
import { limitingActorId } from '#domain/actor.ts'
import { eraseGuests as erase } from '#domain/guests/erase-guests.ts'
import { type Erasure, erasureReasons, listErasures as list } from '#domain/guests/erasures.queries.ts'
import type { Guest } from '#domain/guests/guest.queries.ts'
import {
  exportGuests as exportData,
  findRemaining,
  findStored,
  maxFound,
  searchGuests as search,
} from '#domain/guests/report-guests.ts'
import type { StoredPlace } from '#domain/guests/stored-guests.queries.ts'
import { longestControllerText } from '#drivers/driver.ts'
import { guestDataFile, guestDataFileName } from '../../guests/guest-data-file.ts'
import { count, isoOrNull, siteNumber, textOrNull, time, timeOrNull } from '../kit/fields.ts'
import { tooManyExports } from '../kit/files/export-csv.ts'
import { fileAnswer } from '../kit/files/file-answer.ts'
import { operation, type V2Context } from '../kit/operation.ts'
import { cutPage, nextCursor, pageQuery, readTimeCursor, timeCursor } from '../kit/pages.ts'
import { findAllowedSites } from '../sites/sites.ts'

const keyNote = 'An API key sees only its sites.'
/** Names are in the body and not in the URL, because proxies log URLs. */
const text = { pattern: '^[^\\u0000]*$' }

const guestName = Type.String({
  ...text,
  minLength: 1,
  maxLength: longestControllerText,
  description: 'The name as it is stored, without a date: upper and lower case matter.',
  examples: ['Familie Huber'],
})

const guestFields = { site_id: siteNumber, name: guestName }
const guestsField = Type.Array(Type.Object(guestFields, { additionalProperties: false }), { minItems: 1, maxItems: 20 })
const guestsBody = Type.Object({ guests: guestsField }, { additionalProperties: false, title: 'Guests' })

const foundGuest = Type.Object(
  {
    ...guestFields,
    site: Type.String({ description: 'The name of the site.' }),
    reference: { ...textOrNull, description: 'The newest reference.' },
    vouchers: { ...count, description: 'How many vouchers have the name now, or had it when they were created.' },
    valid: { ...count, description: 'How many of them still work.' },
    last_at: { ...time, description: 'When the newest voucher or list with this guest was created.' },
  },
  { title: 'FoundGuest' },
)

export const searchGuests = operation({
  method: 'POST',
  path: '/guests/search',
  operationId: 'searchGuests',
  summary: `Find guests by the beginning of a word of the name, or by the whole reference, at all sites. ${keyNote}`,
  scope: 'manage',
  role: 'admin',
  status: 200,
  tooMany: 'another search of this key or person is running, or two searches of others',
  body: Type.Object(
    { query: Type.String({ ...text, minLength: 2, maxLength: 200, examples: ['Huber'] }) },
    { additionalProperties: false, title: 'GuestSearch' },
  ),
  answer: Type.Object(
    {
      guests: Type.Array(foundGuest, {
        maxItems: maxFound,
        description: 'A guest is a name at a site. Those with the newest voucher come first.',
      }),
      has_more: Type.Boolean({ description: `True if there are more than ${maxFound} guests.` }),
    },
    { title: 'FoundGuests' },
  ),
  async handle({ db, searches }, { actor, body }) {
    const read = { db, read: <T>(work: Parameters<typeof searches.run<T>>[1]) => searches.run(actor, work) }
    const { guests, hasMore } = await search(read, actor, body.query)
    return {
      guests: guests.map(({ siteId, name, site, reference, vouchers, valid, lastAt }) => ({
        ...{ site_id: siteId, name, site, reference, vouchers, valid },
        last_at: lastAt.toISOString(),
      })),
      has_more: hasMore,
    }
  },
})

const storedPlace = Type.Object(
  {
    place: Type.Unsafe<StoredPlace['place']>({
      type: 'string',
      enum: ['vouchers', 'creations', 'batch_rows', 'batches', 'messages', 'events', 'controller'],
      description:
        '`creations`: requests of the last day. `batches`: lists with a reference of their own, which is erased with their last guest. `messages`: e-mails to the guest, until their address is erased. `events`: what a webhook gets or got. `controller`: vouchers that may still be on the controller, with the name in their note.',
    }),
    webhook: { ...textOrNull, description: 'The name of the webhook, for events. Otherwise null.' },
    fields: Type.Array(
      Type.Unsafe<StoredPlace['fields'][number]>({ type: 'string', enum: ['name', 'reference', 'email'] }),
    ),
    entries: count,
    until: { ...timeOrNull, description: 'When the rules erase the last entry. Null if that is not known.' },
  },
  { title: 'StoredPlace' },
)

export const listStoredGuestData = operation({
  method: 'POST',
  path: '/guests/stored',
  operationId: 'listStoredGuestData',
  summary: `List where something about guests is stored, and until when. ${keyNote}`,
  scope: 'manage',
  role: 'admin',
  status: 200,
  tooMany: 'the person or key asks for too many counts at once',
  body: guestsBody,
  answer: Type.Object(
    {
      entries: { ...count, description: 'The sum of all places.' },
      valid: { ...count, description: 'How many vouchers still work.' },
      places: Type.Array(storedPlace, { description: 'Only places that have something.' }),
    },
    { title: 'StoredGuestData' },
  ),
  async handle(ctx, { actor, body }) {
    const guests = await readGuests(ctx, actor, body.guests)
    const { places, valid } = await ctx.overviews.run(actor, (db) => findStored(db, guests))
    return { entries: places.reduce((sum, { entries }) => sum + entries, 0), valid, places: places.map(placeToWire) }
  },
})

export const exportGuests = operation({
  method: 'POST',
  path: '/guests/export',
  operationId: 'exportGuests',
  summary: `Download everything that is stored about guests, as a ZIP file with JSON and a page to read. ${keyNote}`,
  scope: 'manage',
  role: 'admin',
  status: 200,
  tooMany: tooManyExports,
  body: guestsBody,
  answer: fileAnswer('application/zip'),
  async handle(ctx, { actor, now, body }) {
    const guests = await readGuests(ctx, actor, body.guests)
    const read = {
      db: ctx.db,
      keyring: ctx.keyring,
      read: <T>(work: Parameters<typeof ctx.exports.run<T>>[1]) => ctx.exports.run(actor, work),
    }
    const data = await exportData(read, actor, guests)
    return { type: 'application/zip', fileName: guestDataFileName(now), bytes: guestDataFile(guests, data, now) }
  },
})

const reason = Type.Unsafe<(typeof erasureReasons)[number]>({
  type: 'string',
  enum: [...erasureReasons],
  description:
    'Why the guest is erased: one of these values. A text of your own is not possible, because it could contain the name.',
})

const erasureFields = {
  id: Type.String({ format: 'uuid' }),
  at: time,
  by: Type.String({ description: 'The name of the person, key or command that erased.' }),
  reason,
  vouchers: { ...count, description: 'How many vouchers the erasure is about.' },
  entries: { ...count, description: 'How many entries were erased, in all places.' },
  waiting: {
    ...count,
    description:
      'How many vouchers, requests and rows of lists are not erased yet. The worker erases them after their end.',
  },
  finished_at: { ...timeOrNull, description: 'Null while something waits.' },
}

export const eraseGuests = operation({
  method: 'POST',
  path: '/guests/erase',
  operationId: 'eraseGuests',
  summary: `Erase the names and references of guests everywhere. Codes, times and counts stay. ${keyNote}`,
  scope: 'manage',
  role: 'admin',
  recentSignIn: true,
  status: 200,
  conflict: 'a voucher of these guests still works or is being created',
  body: Type.Object(
    {
      guests: guestsField,
      reason,
      valid: Type.Unsafe<'refuse' | 'after_end'>({
        type: 'string',
        enum: ['refuse', 'after_end'],
        description:
          'What happens if a voucher still works: `refuse` erases nothing and answers 409, `after_end` erases it after its end.',
      }),
    },
    { additionalProperties: false, title: 'GuestErasure' },
  ),
  answer: Type.Object(
    {
      ...erasureFields,
      remains: Type.Array(storedPlace, { description: 'What is still stored, for example on the controller.' }),
    },
    { title: 'ErasureResult' },
  ),
  async handle(ctx, { actor, body }) {
    const guests = await readGuests(ctx, actor, body.guests)
    const erasure = await erase(ctx, actor, { guests, reason: body.reason, valid: body.valid })
    const remains = await findRemaining(ctx.db, guests, erasure.id)
    return { ...erasureToWire(erasure), remains: remains.map(placeToWire) }
  },
})

const erasureSchema = Type.Object(erasureFields, { title: 'Erasure' })

export const listErasures = operation({
  method: 'GET',
  path: '/erasures',
  operationId: 'listErasures',
  summary: `List the receipts of erasures, newest first. ${keyNote}`,
  scope: 'manage',
  role: 'admin',
  status: 200,
  query: Type.Object(pageQuery, { additionalProperties: false }),
  answer: Type.Object({ erasures: Type.Array(erasureSchema), next_cursor: nextCursor }, { title: 'ErasureList' }),
  async handle({ db }, { actor, query: { limit = 50, cursor } }) {
    const found = await list(db, limitingActorId(actor), { last: readTimeCursor(cursor), limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, ({ at, id }) => timeCursor({ createdAt: at, id }))
    return {
      erasures: rows.map(erasureToWire),
      next_cursor,
    }
  },
})

/** Each guest once. Rejects guests of sites that the actor may not use. */
async function readGuests(
  { db }: Pick<V2Context, 'db'>,
  actor: Requester,
  asked: Static<typeof guestsField>,
): Promise<Guest[]> {
  await findAllowedSites(
    db,
    actor,
    asked.map(({ site_id }) => site_id),
  )
  const guests = asked.map(({ site_id: siteId, name }) => ({ siteId, name }))
  return [...new Map(guests.map((guest) => [JSON.stringify([guest.siteId, guest.name]), guest])).values()]
}

function placeToWire({ until, ...place }: StoredPlace): Static<typeof storedPlace> {
  return { ...place, until: isoOrNull(until) }
}

function erasureToWire({ id, at, by, reason, vouchers, entries, waiting, finishedAt }: Erasure) {
  const finished_at = isoOrNull(finishedAt)
  return { id, at: at.toISOString(), by: by.name, reason, vouchers, entries, waiting, finished_at }
}
