import type { Database, Queryable } from '#db/database.ts'
import { type Actor, actorName, requireAllSites } from '../actor.ts'
import { changed, isChange, recordChange } from '../audit/record-audit.ts'
import { keepSite, listSiteLabels } from '../sites/sites.queries.ts'
import {
  deleteSetting,
  insertSetting,
  listSettings,
  listSettingsBelow,
  lockSettings,
  updateSettings,
} from './settings.queries.ts'

/** The longest time, in days, after which guests can be forgotten. */
export const maxForgetDays = 3_650

/** When guests are forgotten. Days count from the end of a voucher. */
export type ForgettingRules = {
  /** Null: guests are not forgotten, except where a site has other days. */
  forgetAfterDays: number | null
  /** An unused voucher without an end counts as ended this many days after its creation. Null: it is left alone. */
  unusedAfterDays: number | null
  /** Sites with other days. Null: never. */
  exceptions: { siteId: number; forgetAfterDays: number | null }[]
}

type SiteException = ForgettingRules['exceptions'][0] & { site: string; changedBy: string; changedAt: Date }

/** The last time at which the worker had forgotten all guests that were due, and how many vouchers it was about. */
type ForgettingRun = { at: Date; vouchers: number }

export type GuestDataSettings = Omit<ForgettingRules, 'exceptions'> & {
  /** Whether ended vouchers are deleted on the controller after the same time. */
  deleteOnController: boolean
  exceptions: SiteException[]
  lastRun: ForgettingRun | null
}

const names = {
  forgetAfterDays: 'guests_forget_after_days',
  unusedAfterDays: 'guests_unused_after_days',
  deleteOnController: 'guests_delete_on_controller',
} as const
const lastRun = 'guests_last_forgotten'
const prefixOfSites = 'guests_forget_after_days/'
const forSite = (id: number) => `${prefixOfSites}${id}`

type StoredException = { days: number | null; changedBy: string }

export async function readGuestDataSettings(db: Queryable): Promise<GuestDataSettings> {
  const [stored, ofSites] = await Promise.all([
    listSettings(db, [...Object.values(names), lastRun]),
    listSettingsBelow(db, prefixOfSites),
  ])
  const labels = await listSiteLabels(db, [...ofSites.keys()].map(Number))
  const run = stored.get(lastRun)
  return {
    ...readStored(stored),
    exceptions: labels
      .map(({ id, name }) => {
        const { value, changedAt } = ofSites.get(String(id)) as { value: unknown; changedAt: Date }
        const { days, changedBy } = value as StoredException
        return { siteId: id, site: name, forgetAfterDays: days, changedBy, changedAt }
      })
      .toSorted((a, b) => a.site.localeCompare(b.site) || a.siteId - b.siteId),
    lastRun: run ? { at: run.changedAt, vouchers: (run.value as ForgettingRun).vouchers } : null,
  }
}

type Stored = Pick<GuestDataSettings, 'forgetAfterDays' | 'unusedAfterDays' | 'deleteOnController'>

function readStored(stored: Awaited<ReturnType<typeof listSettings>>): Stored {
  return {
    forgetAfterDays: (stored.get(names.forgetAfterDays)?.value ?? null) as number | null,
    unusedAfterDays: (stored.get(names.unusedAfterDays)?.value ?? null) as number | null,
    deleteOnController: stored.get(names.deleteOnController)?.value === true,
  }
}

/** Fields that are undefined keep their value. */
export type GuestDataChange = {
  forgetAfterDays?: number | null | undefined
  unusedAfterDays?: number | null | undefined
  deleteOnController?: boolean | undefined
}

export async function setGuestData(db: Database, actor: Actor, change: GuestDataChange): Promise<void> {
  requireAllSites(actor)
  await db.transaction(async (tx) => {
    await lockSettings(tx)
    const before = readStored(await listSettings(tx, Object.values(names)))
    const difference = changed(before, change)
    await updateSettings(tx, names, difference.changes)
    const entry = { action: 'settings.guest_data_changed', targetKind: 'settings', targetId: 'guest-data' }
    await recordChange(tx, actor, entry, difference)
  })
}

/** Sets other days for a site; null: never. Undefined: the site has the days of all sites again. */
export async function setSiteForgetting(
  db: Database,
  actor: Actor,
  siteId: number,
  days: number | null | undefined,
): Promise<void> {
  requireAllSites(actor)
  await db.transaction(async (tx) => {
    const site = await keepSite(tx, siteId)
    await lockSettings(tx)
    const stored = (await listSettings(tx, [forSite(siteId)])).get(forSite(siteId))?.value as
      | StoredException
      | undefined
    const difference = changed({ forgetAfterDays: inWords(stored?.days) }, { forgetAfterDays: inWords(days) })
    if (!isChange(difference)) return
    if (days === undefined) await deleteSetting(tx, forSite(siteId))
    else await insertSetting(tx, forSite(siteId), { days, changedBy: actorName(actor) } satisfies StoredException)
    const entry = { action: 'site.forgetting_changed', targetKind: 'site', targetId: String(siteId) }
    await recordChange(tx, actor, { ...entry, details: { name: site.name } }, difference)
  })
}

/** The days of a site as the audit shows them. */
function inWords(days: number | null | undefined): number | string {
  if (days === undefined) return 'as all sites'
  return days ?? 'never'
}

/** Notes that the worker has now forgotten all guests that were due. */
export async function noteForgotten(tx: Queryable, vouchers: number): Promise<void> {
  await insertSetting(tx, lastRun, { vouchers } satisfies Omit<ForgettingRun, 'at'>)
}

/** Whether guests of any site are forgotten. */
export function isForgetting({ forgetAfterDays, exceptions }: ForgettingRules): boolean {
  return forgetAfterDays !== null || exceptions.some((site) => site.forgetAfterDays !== null)
}

/** The days after which guests of a site are forgotten; null: never. */
export function daysOfSite({ forgetAfterDays, exceptions }: ForgettingRules, id: number): number | null {
  const exception = exceptions.find(({ siteId }) => siteId === id)
  return exception ? exception.forgetAfterDays : forgetAfterDays
}
