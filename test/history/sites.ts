import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Database } from '#db/database.ts'
import { addController } from '#domain/controllers/add-controller.ts'
import { addSite } from '#domain/sites/add-site.ts'
import { testActor } from '#test/data/seed.ts'
import { testDrivers, testKeyring } from '#test/environment.ts'
import { allDialects, type Simulator, startSimulator } from '#test/network/simulator.ts'
import { spawnCommand } from '#test/service.ts'

/** A site on a simulated controller. It does not adopt vouchers of others. */
export type WatchedSite = { id: number; dialect: string; reference: string; simulator: Simulator }

type OnController = { siteId: number; code: string; name: string; deleted: boolean }

/** A string that identifies a voucher, to compare lists. Codes are unique only within a site. */
export function place({ siteId, code }: { siteId: number; code: string | undefined }): string {
  return `${siteId} ${code}`
}

/** Starts one controller for each dialect, each with sites of these references. */
export async function startSites(db: Database, references: string[]): Promise<WatchedSite[]> {
  const perDialect = await Promise.all(allDialects.map((dialect) => startController(db, dialect, references)))
  return perDialect.flat()
}

/** Starts a controller with sites of these references. Names on the site `tagged` get a tag. */
export async function startController(
  db: Database,
  { dialect, driver, flavour }: (typeof allDialects)[0],
  references: string[],
): Promise<WatchedSite[]> {
  const onController = references.flatMap((reference) => ['--site', `${reference}=${reference}`])
  const simulator = await startSimulator('--flavour', flavour, '--login-limit', '0', ...onController)
  const credentials = driver === 'unifi-classic' ? simulator.login : { apiKey: simulator.apiKey }
  await addController({ db, keyring: testKeyring, drivers: testDrivers }, testActor, {
    name: dialect,
    driver,
    address: simulator.url,
    credentials,
  })
  const sites: WatchedSite[] = []
  for (const reference of references) {
    const name = `${dialect}, ${reference}`
    const { id } = await addSite(db, testActor, { name, controller: dialect, controllerSite: reference, active: true })
    if (reference === 'tagged') await db.query('update sites set tags_names = true where id = $1', [id])
    sites.push({ id, dialect, reference, simulator })
  }
  return sites
}

/** Every voucher that the controllers ever made for these sites. */
async function readControllers(sites: WatchedSite[]): Promise<OnController[]> {
  const bySimulator = Map.groupBy(sites, ({ simulator }) => simulator)
  const read = [...bySimulator].map(async ([simulator, its]) => {
    const references = await simulator.siteReferences()
    const idOf = new Map(its.map(({ id, reference }) => [reference, id]))
    const vouchers = await simulator.vouchers()
    return vouchers.flatMap(({ siteId: controllerSite, code, name, deleted }) => {
      const siteId = idOf.get(references.get(controllerSite) ?? '')
      return siteId === undefined ? [] : [{ siteId, code, name, deleted }]
    })
  })
  return (await Promise.all(read)).flat()
}

/** Makes the worker sync each active site once, and waits until it has. */
export async function syncAll(db: Database): Promise<void> {
  const { rows } = await db.query<{ at: Date }>('select now() as at')
  await db.query(`update sites set next_sync_at = now() - interval '1 second'`)
  const left = 'select from sites where synced_at is null or synced_at < $1 or sync_failure is not null'
  while (((await db.query(left, [rows[0]?.at])).rowCount ?? 0) > 0) await pause(200)
}

/** Waits until every creation, every batch and every due withdrawal has its outcome. */
export async function waitForQuiet(db: Database): Promise<void> {
  const unfinished = `select where exists (select from creations where settled_at is null)
                           or exists (select from batches where finished_at is null)
                           or exists (select from withdrawals where settled_at is null and due_at <= now())`
  while (((await db.query(unfinished)).rowCount ?? 0) > 0) await pause(200)
}

/** Vouchers that are on a controller now. */
export async function readPresent(sites: WatchedSite[]): Promise<OnController[]> {
  return (await readControllers(sites)).filter(({ deleted }) => !deleted)
}

type Recorded = { siteId: number; code: string; status: string }

/** All recorded vouchers, newest first. */
export async function readRecord(db: Database): Promise<Recorded[]> {
  const { rows } = await db.query<Recorded>(
    'select site_id as "siteId", code, status from vouchers order by created_at desc, id desc',
  )
  return rows
}

/** The recorded vouchers that are not revoked, as strings of `place`. */
export async function readStanding(db: Database): Promise<Set<string>> {
  return new Set((await readRecord(db)).filter(({ status }) => status !== 'revoked').map(place))
}

/** Runs `voucher-service reconcile` and returns the site and the code of each lost voucher. */
export async function reconcile(databaseUrl: string, ...args: string[]): Promise<string[]> {
  const { stdout, exitCode } = await spawnCommand(databaseUrl, ['reconcile', '--json', ...args])
  expect(exitCode).toBe(0)
  const rows: { site: number; code: string }[] = JSON.parse(stdout)
  return rows.map(({ site, code }) => `${site} ${code.replace('-', '')}`)
}

/** The column `unrecorded` of `voucher-service sites list`, by the id of the site. */
export async function countUnrecorded(databaseUrl: string): Promise<Map<number, number>> {
  const sites: { id: number; unrecorded: number }[] = (
    await spawnCommand(databaseUrl, ['sites', 'list', '--json'])
  ).json()
  return new Map(sites.map(({ id, unrecorded }) => [id, unrecorded]))
}
