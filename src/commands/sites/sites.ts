import type { Command } from 'commander'
import type { Database } from '#db/database.ts'
import { DomainError } from '#domain/errors.ts'
import { addSite } from '#domain/sites/add-site.ts'
import { activateSite, setSite } from '#domain/sites/change-site.ts'
import { checkControllerSite } from '#domain/sites/check-controller-site.ts'
import { type GuestInfoChange, maxRoomDays, readGuestInfo, setGuestInfo } from '#domain/sites/guest-info.ts'
import { maxLogoBytes, removeLogo, setLogo } from '#domain/sites/logo.ts'
import { removeSite } from '#domain/sites/remove-site.ts'
import { findSite, findSiteWithController, listSites, maxSiteId, type Site } from '#domain/sites/sites.queries.ts'
import { createCalendar } from '#lib/clock.ts'
import { type ControllerTools, withControllers, withDatabase, withKeyring } from '../connections.ts'
import { checkLayers, explainingCertificate, type TestedLayer } from '../controllers/check-layers.ts'
import { wholeNumber } from '../terminal/arguments.ts'
import { type IssuingOptions, toIssuing, withIssuingOptions } from '../terminal/issuing-options.ts'
import { print } from '../terminal/output.ts'
import { askSecret } from '../terminal/prompts.ts'
import { readBytes, readSecret } from '../terminal/read-input.ts'
import { CommandRefused, requireChange } from '../terminal/refusals.ts'
import { commandActor, type Terminal } from '../terminal/terminal.ts'
import { importSiteFile } from './import-site-file.ts'

type AddOptions = {
  name: string
  controller: string
  controllerSite: string
  inactive?: true
  adopt?: true
  unchecked?: true
}
type SetOptions = IssuingOptions & {
  rename?: string
  adopt?: boolean
  tagNames?: boolean
  wifiName?: string | false
  wifiPassword?: string | false
  wifiHidden?: boolean
  timeZone?: string | false
  guestLanguage?: string[] | false
  footer?: string | false
  roomDays?: number
  logo?: string | false
}

export function registerSites(sites: Command, terminal: Terminal): void {
  const siteId = wholeNumber(1, maxSiteId)

  sites
    .command('add')
    .description('add a site of a controller; asks the controller first whether it has the site')
    .requiredOption('--name <name>', 'display name, used in answers and notifications')
    .requiredOption('--controller <name>', 'name of its controller')
    .option('--controller-site <id>', 'id of the site on the controller', 'default')
    .option('--inactive', 'add the site without opening it for vouchers')
    .option('--adopt', 'also record vouchers that others create on the controller')
    .option('--unchecked', 'do not ask the controller, e.g. while it is down')
    .action((options: AddOptions) => add(terminal, options))

  sites
    .command('import')
    .description(
      'add the sites of a CSV file with the columns name,controller,controller_site; more columns describe new controllers and the Wi-Fi',
    )
    .argument('<file>', 'path, or - for standard input; sites that exist already stay as they are')
    .option('--dry-run', 'show what would be done, and write nothing')
    .action((file: string, options: { dryRun?: boolean }) => importSiteFile(terminal, file, options))

  sites
    .command('list')
    .description('list all sites, active or not; synced_at is the time of the last successful sync')
    .action(async () => print(terminal, await withDatabase(terminal, (db) => listSites(db))))

  withIssuingOptions(sites.command('set'))
    .description(
      'change the name of a site, its limits, how its vouchers are recorded and named, and what is printed on slips',
    )
    .argument('<id>', 'number of the site', siteId)
    .option('--rename <name>', 'new display name')
    .option('--adopt', 'also record vouchers that others create on the controller')
    .option('--no-adopt', 'record only vouchers that this service creates')
    .option(
      '--tag-names',
      'append a short tag to each name on the controller, so that the service always recognises its vouchers',
    )
    .option('--no-tag-names', 'use names on the controller without a tag')
    .option('--wifi-name <name>', 'name of the guest Wi-Fi, at most 32 bytes')
    .option('--no-wifi-name', 'erase the name of the guest Wi-Fi')
    .option(
      '--wifi-password <file>',
      'file with the password of the guest Wi-Fi; - asks for it, or reads standard input',
    )
    .option('--no-wifi-password', 'erase the password of the guest Wi-Fi')
    .option('--wifi-hidden', 'devices do not show the Wi-Fi name, so guests must type it')
    .option('--no-wifi-hidden', 'devices show the Wi-Fi name')
    .option('--time-zone <zone>', 'time zone of the times on slips, e.g. Europe/Vienna')
    .option('--no-time-zone', 'use the time zone of the service (TZ)')
    .option('--guest-language <code>', 'language of slips; repeat it for up to three languages, in this order', collect)
    .option('--no-guest-language', 'the person who prints chooses the languages')
    .option('--footer <text>', 'line at the end of slips, at most 120 characters')
    .option('--no-footer', 'erase the line at the end of slips')
    .option('--room-days <days>', 'days by which a new stay can later be extended', wholeNumber(0, maxRoomDays))
    .option('--logo <file>', 'PNG or JPEG for slips, at most 256 KiB')
    .option('--no-logo', 'remove the logo')
    .action(async (id: number, options: SetOptions) => print(terminal, await change(terminal, id, options)))

  sites
    .command('test')
    .description('check layer by layer whether the vouchers of a site can be read; changes nothing')
    .argument('[id]', 'number of the site', siteId)
    .option('--all', 'check every active site, with one line for each')
    .action(async (id: number | undefined, { all = false }: { all?: boolean }) => {
      if (all === (id !== undefined)) throw new CommandRefused('Give either the number of a site, or --all.')
      const results = await withControllers<(TestedLayer | TestedSite)[]>(terminal, (tools) =>
        id === undefined ? testAllSites(tools) : testSite(tools, id),
      )
      print(terminal, results)
      if (results.some(({ result }) => result === 'failed')) terminal.exitCode = 1
    })

  const setActive = async (id: number, active: boolean) =>
    print(terminal, await withDatabase(terminal, (db) => activateSite(db, commandActor(), id, active)))

  sites
    .command('activate')
    .description('open a site for vouchers')
    .argument('<id>', 'number of the site', siteId)
    .action((id: number) => setActive(id, true))

  sites
    .command('deactivate')
    .description('close a site: no vouchers can be created there, lists stay readable')
    .argument('<id>', 'number of the site', siteId)
    .action((id: number) => setActive(id, false))

  sites
    .command('remove')
    .description('remove a site that has no vouchers and that nothing refers to')
    .argument('<id>', 'number of the site', siteId)
    .action(async (id: number) =>
      print(terminal, await withDatabase(terminal, (db) => removeSite(db, commandActor(), id))),
    )
}

async function add(terminal: Terminal, options: AddOptions): Promise<void> {
  const { name, controller, controllerSite, inactive, adopt = false, unchecked } = options
  const site = { name, controller, controllerSite, active: !inactive, adoptsVouchers: adopt }
  const actor = commandActor()
  const added = unchecked
    ? await withDatabase(terminal, (db) => addSite(db, actor, site))
    : await withControllers(terminal, async (tools) => {
        const firstId = await explainingCertificate(tools, site, () => checkControllerSite(tools, actor, site))
        return addSite(tools.db, actor, { ...site, controllerSite: firstId })
      })
  print(terminal, added)
}

/** Collects the values of an option that may be repeated. */
function collect(value: string, before: string[] | false = []): string[] {
  return [...(before || []), value]
}

/** Makes all changes in one transaction, so that none is made if one of them fails. */
async function change(terminal: Terminal, id: number, options: SetOptions): Promise<object> {
  requireChange(options, 'sites set')
  const { rename, adopt, tagNames, vouchersPerDay, longestMinutes, logo, ...slip } = options
  const image = logo ? await readBytes(terminal, logo, maxLogoBytes) : undefined
  const guestInfo = await readSlipOptions(terminal, slip)
  const settings = {
    name: rename,
    adoptsVouchers: adopt,
    tagsNames: tagNames,
    ...toIssuing({ vouchersPerDay, longestMinutes }),
  }
  const actor = commandActor()
  const connect = guestInfo.wifiPassword ? withKeyring : withDatabase
  return connect(terminal, async (pool, config) =>
    pool.transaction(async (tx) => {
      const db: Database = { ...pool, query: tx.query, transaction: (work) => work(tx) }
      const ctx = { db, keyring: config.encryptionKeys, today: createCalendar(config.timeZone) }
      if (image) await setLogo(db, actor, id, image)
      if (logo === false) await removeLogo(db, actor, id)
      if (Object.keys(slip).length > 0) await setGuestInfo(ctx, actor, id, guestInfo)
      if (Object.values(settings).some((value) => value !== undefined)) await setSite(db, actor, id, settings)
      const { siteId: _, wifiPassword: __, ...facts } = await readGuestInfo(ctx, actor, id)
      const { controllerId: ___, ...site } = (await findSite(db, id, null)) as Site & { controllerId: string }
      return { ...site, ...facts }
    }),
  )
}

type SlipOptions = Omit<SetOptions, 'rename' | 'adopt' | 'tagNames' | 'logo' | keyof IssuingOptions>

async function readSlipOptions(terminal: Terminal, options: SlipOptions): Promise<GuestInfoChange> {
  const { wifiPassword: file, guestLanguage } = options
  const entered =
    file === '-' ? await askSecret(terminal, 'Wi-Fi password') : file && (await readSecret(terminal, file))
  return {
    wifiName: orNull(options.wifiName),
    wifiPassword: orNull(entered),
    wifiHidden: options.wifiHidden,
    timeZone: orNull(options.timeZone),
    guestLanguages: guestLanguage === false ? [] : guestLanguage,
    footer: orNull(options.footer),
    roomDays: options.roomDays,
  }
}

/** An option that was given as `--no-…` has the value false. It erases the stored value. */
function orNull<T>(value: T | false): T | null {
  return value === false ? null : value
}

export async function testSite(tools: ControllerTools, id: number): Promise<TestedLayer[]> {
  const site = await findSiteWithController(tools.db, id)
  if (!site) throw new DomainError('site_not_found', { details: { ids: id } })
  return checkLayers(tools, site)
}

type TestedSite = {
  site: number
  name: string
  controller: string
  result: string
  layer: string | null
  detail: string
}

/** Controllers that are tested at the same time. The sites of one controller are tested one after the other. */
const controllersAtOnce = 8

async function testAllSites(tools: ControllerTools): Promise<TestedSite[]> {
  const active = (await listSites(tools.db)).filter((site) => site.active)
  const byController = Map.groupBy(active, ({ controller }) => controller).values()
  const tested: TestedSite[] = []
  async function testNextControllers(): Promise<void> {
    for (const sites of byController) for (const site of sites) tested.push(await summarizeTest(tools, site))
  }
  await Promise.all(Array.from({ length: controllersAtOnce }, testNextControllers))
  return tested.toSorted((a, b) => a.site - b.site)
}

/** The first layer that fails, or that all passed. */
async function summarizeTest(tools: ControllerTools, { id, name, controller }: Site): Promise<TestedSite> {
  const failed = (await testSite(tools, id)).find(({ result }) => result === 'failed')
  const outcome = failed ?? { result: 'ok', layer: null, detail: '' }
  return { site: id, name, controller, result: outcome.result, layer: outcome.layer, detail: outcome.detail }
}
