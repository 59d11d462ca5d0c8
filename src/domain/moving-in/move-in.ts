import type { Database, Queryable } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import { inPieces } from '#lib/pieces.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { type DriverForms, storeController } from '../controllers/add-controller.ts'
import { toCredentials } from '../controllers/controller-credentials.ts'
import { DomainError, type ErrorCode } from '../errors.ts'
import { findHold } from '../hold.queries.ts'
import { holdForTrial } from '../holding/hold.ts'
import { createMaker, importKeyIn } from '../keys/administer-keys.ts'
import { listSecrets } from '../keys/key-secrets.queries.ts'
import { addPersonIn } from '../people/administer-staff.ts'
import { listExistingPeople, listPeopleByEmail } from '../people/staff.queries.ts'
import {
  countImportedVouchers,
  type ImportedVoucher,
  type ImportedVouchers,
  insertImportedVouchers,
  noImportedVouchers,
} from '../record/import-vouchers.queries.ts'
import { siteAdded } from '../sites/add-site.ts'
import { hasSites, insertNumberedSites, tryLockImports, updateNextSiteNumber } from '../sites/sites.queries.ts'
import { addTemplateIn } from '../templates/administer-templates.ts'
import { addWebhookIn } from '../webhooks/administer-webhooks.ts'
import { type ImportedRows, readImportedRows, storeImportedRows } from './imported-rows.ts'
import {
  type Inventory,
  type MovedController,
  type MovedVoucher,
  MoveRefused,
  type RowNote,
  type SourceRow,
} from './inventory.ts'
import { placeSites } from './place-sites.ts'

const vouchersPerStatement = 2_000
const dayMs = 86_400_000

export type MoveContext = { db: Database; keyring: Keyring; drivers: DriverForms }

/** The certificates that somebody compared, by address. Null: an authority that this machine trusts must have signed it. */
export type Pins = Map<string, Buffer | null>

type Part = 'controllers' | 'sites' | 'keys' | 'people' | 'templates' | 'webhooks' | 'vouchers'

/** `known` were recorded before. */
export type Counts = Record<Part, { added: number; known: number }>

/** `left`: rows that did not come over. `notes`: what is different about rows that did. */
export type MoveResult = {
  counts: Counts
  left: RowNote[]
  notes: RowNote[]
  /** Whether a trial begins, or the service is held already. */
  hold: 'begins' | 'goes on' | null
}

type Move = {
  tx: Queryable
  ctx: MoveContext
  actor: Actor
  inventory: Inventory
  earlier: ImportedRows
  result: MoveResult
}

/**
 * Imports everything that no earlier import brought and that is not recorded, in one transaction: all of it, or nothing. Into an
 * installation without sites, a trial begins: the service is held. A dry run does the same and takes it back.
 */
export async function moveIn(
  ctx: MoveContext,
  actor: Actor,
  inventory: Inventory,
  { pins, dryRun }: { pins: Pins; dryRun: boolean },
): Promise<MoveResult> {
  const result: MoveResult = { counts: noCounts(), left: [], notes: [], hold: null }
  const undone = new Error('a dry run')
  try {
    await ctx.db.transaction(async (tx) => {
      if (!(await tryLockImports(tx)))
        throw new MoveRefused('Another import is running. Wait until it has ended, and repeat this one.', [])
      const earlier = await readImportedRows(tx, inventory.system)
      const move: Move = { tx, ctx, actor, inventory, earlier, result }
      result.hold = await holdOnFirstImport(move)
      const newSites = await addControllersAndSites(move, dryRun ? undefined : pins)
      await addKeys(move)
      const people = await addPeople(move)
      await addTemplates(move)
      await addWebhooks(move)
      const imported = await addVouchers(move, people)
      if (dryRun) throw undone
      if (Object.values(result.counts).some(({ added }) => added > 0)) await recordMove(move)
      await storeImportedRows(tx, inventory.system, earlier)
      await countImportedVouchers(tx, imported, newSites)
      if (result.counts.sites.added > 0) await updateNextSiteNumber(tx)
    })
  } catch (error) {
    if (error !== undone) throw error
  }
  return result
}

function noCounts(): Counts {
  const none = () => ({ added: 0, known: 0 })
  return {
    controllers: none(),
    sites: none(),
    keys: none(),
    people: none(),
    templates: none(),
    webhooks: none(),
    vouchers: none(),
  }
}

/** The other system goes on at first, so nothing is changed on its controllers. */
async function holdOnFirstImport({ tx, actor, inventory }: Move): Promise<MoveResult['hold']> {
  if (!(await hasSites(tx)) && inventory.sites.length > 0 && (await holdForTrial(tx, actor))) return 'begins'
  return (await findHold(tx)) ? 'goes on' : null
}

/** Without `pins`, for a dry run, certificates need not be confirmed. Returns the numbers of the new sites. */
async function addControllersAndSites(move: Move, pins: Pins | undefined): Promise<Set<number>> {
  const { tx, ctx, actor, inventory, earlier, result } = move
  const { sites, controllers } = inventory
  const { newSites, newControllers, controllerIds, removed, notes } = await placeSites(
    tx,
    ctx.keyring,
    inventory,
    new Set(earlier.sites),
  )
  leaveRemovedSites(move, removed)
  result.notes.push(...notes)
  const names = new Map<string, string>()
  for (const controller of newControllers) {
    const { id, name } = await addController(tx, ctx, actor, { controller, pin: pinOf(controller, pins) })
    controllerIds.set(controller.key, id)
    names.set(controller.key, name)
  }
  const placed = newSites.map((site) => ({ ...site, controllerId: controllerIds.get(site.controllerKey) as string }))
  if (placed.length > 0) await insertNumberedSites(tx, placed)
  const added = placed.map((site) => siteAdded({ ...site, controller: names.get(site.controllerKey) ?? '' }))
  if (added.length > 0) await recordAudit(tx, actor, ...added)
  result.counts.controllers = { added: newControllers.length, known: controllers.length - newControllers.length }
  result.counts.sites = { added: newSites.length, known: sites.length - newSites.length - removed.length }
  earlier.sites = [...new Set([...earlier.sites, ...sites.map(({ id }) => id)])]
  return new Set(newSites.map(({ id }) => id))
}

function pinOf({ address }: MovedController, pins: Pins | undefined): Buffer | undefined {
  const pin = pins?.get(address)
  if (pins && pin === undefined)
    throw new MoveRefused(`The certificate of ${address} was not confirmed. Repeat the import with --trust-pins.`, [])
  return pin ?? undefined
}

/** Sites that an earlier import brought and that somebody removed here stay away, with their vouchers. */
function leaveRemovedSites({ inventory, result }: Move, removed: number[]): void {
  const isRemoved = new Set(removed)
  for (const id of removed) {
    const count = inventory.vouchers.filter(({ siteId }) => siteId === id).length
    const reason = `It was removed here after an earlier import. Its vouchers: ${count}.`
    result.left.push({ table: 'sites', id, reason })
  }
  inventory.vouchers = inventory.vouchers.filter(({ siteId }) => !isRemoved.has(siteId))
  for (const person of inventory.people) person.siteIds = person.siteIds?.filter((id) => !isRemoved.has(id))
}

/** The name is the address, followed by the account or a number if another controller has that name. */
async function addController(
  tx: Queryable,
  ctx: MoveContext,
  actor: Actor,
  { controller, pin }: { controller: MovedController; pin: Buffer | undefined },
): Promise<{ id: string; name: string }> {
  const { address, username, password } = controller
  const { host } = new URL(address)
  const credentials = password === null ? null : toCredentials(username, password)
  const described = { driver: 'unifi-classic', address, credentials, certificatePin: pin }
  for (let number = 1; ; number++) {
    const name = [host, `${host} (${username})`][number - 1] ?? `${host} (${username}) ${number - 1}`
    try {
      return await storeController(tx, ctx, actor, { ...described, name })
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'controller_name_taken')) throw error
    }
  }
}

/** Adds a row. An error with the code `known` means that it is recorded. After another error that was foreseen, the row is left. */
async function addRow(
  { result }: Move,
  part: Part,
  { row, known }: { row: SourceRow; known: ErrorCode },
  add: () => Promise<unknown>,
): Promise<void> {
  try {
    await add()
    result.counts[part].added++
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    if (error.code === known) result.counts[part].known++
    else leave(result, row, error)
  }
}

async function addKeys(move: Move): Promise<void> {
  const { tx, actor, inventory, result } = move
  const prefixes = inventory.keys.map(({ prefix }) => prefix)
  const recorded = new Map((await listSecrets(tx, prefixes)).map(({ prefix, sha256 }) => [prefix, sha256]))
  for (const row of inventory.keys) {
    const { name, scope, rateLimit, prefix, sha256 } = row
    const known = recorded.get(prefix)
    if (known?.equals(sha256)) result.counts.keys.known++
    else if (known) leave(result, row, new DomainError('key_prefix_taken', { details: { prefix } }))
    else {
      const request = { name, scope, rateLimit, siteIds: undefined, expiresAt: null }
      await addRow(move, 'keys', { row, known: 'key_prefix_taken' }, () =>
        importKeyIn(tx, actor, request, { prefix, sha256 }),
      )
      recorded.set(prefix, sha256)
    }
  }
}

/** Returns the ids of the people, by their rows. */
async function addPeople(move: Move): Promise<Map<number, string>> {
  const { tx, actor, inventory, earlier, result } = move
  const emails = inventory.people.map(({ email }) => email.toLowerCase())
  const here = new Map((await listPeopleByEmail(tx, emails)).map(({ email, id }) => [email.toLowerCase(), id]))
  for (const row of inventory.people) {
    const known = earlier.people[row.id] ?? here.get(row.email.toLowerCase())
    if (known === undefined)
      await addRow(move, 'people', { row, known: 'email_taken' }, async () => {
        const { id } = await addPersonIn(tx, actor, { ...row, language: null, longestMinutes: null })
        earlier.people[row.id] = id
      })
    else {
      result.counts.people.known++
      earlier.people[row.id] = known
    }
  }
  const existing = new Set(await listExistingPeople(tx, Object.values(earlier.people)))
  return new Map(
    Object.entries(earlier.people).flatMap(([row, id]) => (existing.has(id) ? [[Number(row), id] as const] : [])),
  )
}

async function addTemplates(move: Move): Promise<void> {
  const { tx, actor, inventory, earlier, result } = move
  for (const row of inventory.templates) {
    const { table: _, id, ...request } = row
    if (earlier.templates.includes(id)) {
      result.counts.templates.known++
      continue
    }
    earlier.templates.push(id)
    await addRow(move, 'templates', { row, known: 'template_name_taken' }, () =>
      addTemplateIn(tx, actor, { ...request, siteId: null, unusedDays: null }),
    )
  }
}

async function addWebhooks(move: Move): Promise<void> {
  const { tx, ctx, actor, inventory, earlier, result } = move
  const { webhook } = inventory
  if (!webhook) return
  if (earlier.webhook) {
    result.counts.webhooks.known++
    return
  }
  earlier.webhook = true
  await addRow(move, 'webhooks', { row: webhook, known: 'webhook_name_taken' }, () =>
    addWebhookIn(tx, ctx.keyring, actor, { ...webhook, siteIds: undefined }),
  )
}

async function addVouchers(move: Move, people: Map<number, string>): Promise<ImportedVouchers> {
  const { tx, inventory, earlier, result } = move
  const { vouchers } = inventory
  const isNewRow = ({ sourceSite, id }: MovedVoucher) => id > (earlier.lastVouchers[sourceSite] ?? 0)
  const newRows = vouchers.filter(isNewRow)
  const makerOf = await findMakers(move, people, newRows)
  const imported = noImportedVouchers()
  for (const piece of inPieces(newRows, vouchersPerStatement))
    result.counts.vouchers.added += await insertImportedVouchers(
      tx,
      piece.map((voucher) => ({ ...voucher, ...makerOf(voucher) })),
      imported,
    )
  result.counts.vouchers.known = vouchers.length - result.counts.vouchers.added
  for (const { sourceSite, id } of newRows.filter(({ createdAt }) => createdAt.getTime() < Date.now() - dayMs))
    earlier.lastVouchers[sourceSite] = Math.max(earlier.lastVouchers[sourceSite] ?? 0, id)
  return imported
}

type Maker = Pick<ImportedVoucher, 'apiKeyId' | 'staffId'>

/** The person who created a voucher, or the key of the other system if nobody knows who did. */
async function findMakers(
  { tx, actor, inventory: { system }, earlier }: Move,
  people: Map<number, string>,
  vouchers: MovedVoucher[],
): Promise<(voucher: MovedVoucher) => Maker> {
  const isOfNobody = ({ isOurs, personRow }: MovedVoucher) => isOurs && !people.has(personRow ?? -1)
  if (vouchers.some(isOfNobody)) earlier.makerKeyId ??= await createMaker(tx, actor, system)
  return (voucher) => {
    if (!voucher.isOurs) return { apiKeyId: null, staffId: null }
    if (isOfNobody(voucher)) return { apiKeyId: earlier.makerKeyId, staffId: null }
    return { apiKeyId: null, staffId: people.get(voucher.personRow as number) as string }
  }
}

function leave(result: MoveResult, { table, id }: SourceRow, reason: DomainError): void {
  result.left.push({ table, id, reason })
}

async function recordMove({ tx, actor, inventory: { system }, result }: Move): Promise<void> {
  const added = Object.fromEntries(Object.entries(result.counts).map(([part, { added }]) => [part, added]))
  const details = { system, ...added }
  await recordAudit(tx, actor, { action: 'record.moved_in', targetKind: 'record', targetId: 'record', details })
}
