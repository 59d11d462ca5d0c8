import type { Database, Queryable } from '#db/database.ts'
import { decrypt, type Keyring } from '#lib/cipher.ts'
import { type Actor, limitingActorId } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { messageEmailPlace } from '../mailing/new-message.ts'
import type { GuestField } from '../record/guest-fields.ts'
import { daysOfSite, readGuestDataSettings } from '../settings/guest-data.ts'
import type { Guest } from './guest.queries.ts'
import { type ExportedRow, readStoredData, type StoredData } from './guest-export.queries.ts'
import {
  type FoundGuest,
  findCountsLeft,
  listStoredPlaces,
  type StoredPlace,
  searchGuests as search,
} from './stored-guests.queries.ts'

/** The most guests that a search finds. */
export const maxFound = 50
/** An export with more vouchers would need too much memory. */
const maxExported = 10_000

/** `db` writes the audit. `read` runs the search, for example on a connection for costly reads. */
export type ReadContext = { db: Database; read<T>(work: (db: Queryable) => Promise<T>): Promise<T> }

const target = { targetKind: 'guests', targetId: 'guests' }

/** Finds guests at the sites of the actor. The audit says how many were found, and not the text. */
export async function searchGuests(
  { db, read }: ReadContext,
  actor: Actor,
  text: string,
): Promise<{ guests: FoundGuest[]; hasMore: boolean }> {
  const found = await read((reading) =>
    search(reading, text, { onlySitesOf: limitingActorId(actor), limit: maxFound + 1 }),
  )
  const guests = found.slice(0, maxFound)
  await recordAudit(db, actor, { ...target, action: 'guests.searched', details: { found: guests.length } })
  return { guests, hasMore: found.length > maxFound }
}

/** The places where something about these guests is stored, and until when. `valid`: how many vouchers still work. */
export async function findStored(db: Queryable, guests: Guest[]): Promise<{ places: StoredPlace[]; valid: number }> {
  const settings = await readGuestDataSettings(db)
  const rules = { daysOf: (id: number) => daysOfSite(settings, id), deletesOnController: settings.deleteOnController }
  return listStoredPlaces(db, guests, rules)
}

/**
 * Finds what is still stored after an erasure: data about these guests, the references of lists that have other guests too, and the
 * notes of erased vouchers on the controllers.
 */
export async function findRemaining(db: Queryable, guests: Guest[], erasureId: string): Promise<StoredPlace[]> {
  const { places } = await findStored(db, guests)
  const left = await findCountsLeft(db, erasureId)
  const ofErasure = (place: 'batches' | 'controller', field: GuestField, entries: number): StoredPlace[] => {
    const known = places.find((stored) => stored.place === place)
    const until = known?.entries === entries ? known.until : null
    return entries === 0 ? [] : [{ place, webhook: null, fields: [field], entries, until }]
  }
  return [
    ...places.filter(({ place }) => place !== 'batches' && place !== 'controller'),
    ...ofErasure('batches', 'reference', left.batches),
    ...ofErasure('controller', 'name', left.onController),
  ]
}

/** Reads everything that is stored about these guests. Only people and commands get the addresses of e-mails, API keys never do. */
export async function exportGuests(
  { db, keyring, read }: ReadContext & { keyring: Keyring },
  actor: Actor,
  guests: Guest[],
): Promise<StoredData> {
  const stored = await read((reading) => readStoredData(reading, guests, maxExported))
  if (!stored) throw new DomainError('export_too_large')
  const data = { ...stored, messages: stored.messages.map((message) => withAddress(keyring, actor, message)) }
  const counts = Object.fromEntries(Object.entries(data).map(([place, rows]) => [place, rows.length]))
  if (Object.values(counts).every((count) => count === 0)) throw new DomainError('guest_not_found')
  await recordAudit(db, actor, { ...target, action: 'guests.exported', details: { guests: guests.length, ...counts } })
  return data
}

function withAddress(keyring: Keyring, actor: Actor, { id, email, ...message }: ExportedRow): ExportedRow {
  const isHidden = email === null || actor.kind === 'key'
  const address = isHidden ? null : decrypt(keyring, messageEmailPlace(id as string), email as string)
  return { ...message, email: address }
}
