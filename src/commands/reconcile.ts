import type { Command } from 'commander'
import type { Database } from '#db/database.ts'
import { controllerFailure } from '#domain/controllers/controller-failure.ts'
import { DomainError } from '#domain/errors.ts'
import { findHold } from '#domain/hold.queries.ts'
import { withoutTag } from '#domain/record/voucher-shape.ts'
import { listSitesOnControllers, maxSiteId, type SiteOnController } from '#domain/sites/sites.queries.ts'
import { findLostVouchers, recordLostVouchers } from '#domain/syncing/lost-vouchers.ts'
import type { SeenVoucher } from '#drivers/driver.ts'
import { visibleText } from '#lib/visible-text.ts'
import { type ControllerTools, type RecordingTools, withControllers } from './connections.ts'
import { wholeNumber } from './terminal/arguments.ts'
import { print } from './terminal/output.ts'
import { confirm } from './terminal/prompts.ts'
import { CommandRefused } from './terminal/refusals.ts'
import { commandActor, type Terminal } from './terminal/terminal.ts'

type Options = { site?: number; adopt?: true; withdraw?: true; yes?: true }

type Lost = { site: SiteOnController; vouchers: SeenVoucher[] }

export function registerReconcile(command: Command, terminal: Terminal): void {
  command
    .option('--site <id>', 'only this site; without it, all active sites', wholeNumber(1, maxSiteId))
    .option('--adopt', 'record them, so that they are listed and can be revoked')
    .option('--withdraw', 'record them, and let the worker delete them on the controller')
    .option('--yes', 'do not ask for confirmation')
    .action(async (options: Options) => {
      if (options.adopt && options.withdraw) throw new CommandRefused('Use either --adopt or --withdraw, not both.')
      await withControllers(terminal, (tools) => reconcile(terminal, tools, options))
    })
}

async function reconcile(terminal: Terminal, tools: RecordingTools, { site, adopt, withdraw, yes }: Options) {
  const { found, failed } = await findAll(tools, await listSites(tools.db, site))
  print(terminal, found.flatMap(toRows))
  for (const { site: each, failure } of failed)
    terminal.stderr.write(
      `Site ${each.id} (${each.name}) could not be read: ${failure}. Check it with \`voucher-service sites test ${each.id}\`.\n`,
    )
  if (failed.length > 0) terminal.exitCode = 1
  if (!adopt && !withdraw) return
  if (withdraw && (await findHold(tools.db))?.reason === 'trial')
    throw new CommandRefused(
      'During a trial, the other system still creates vouchers, and these are among them. Nothing was withdrawn. Import once more, end the trial, and look again.',
    )
  const count = found.reduce((sum, { vouchers }) => sum + vouchers.length, 0)
  if (count === 0) {
    terminal.stderr.write('No lost vouchers were found. There is nothing to do.\n')
    return
  }
  const what = withdraw ? `Vouchers to withdraw: ${count}. Their codes stop working.` : `Vouchers to record: ${count}.`
  if (!yes) await confirm(terminal, `${what} Continue?`)
  let recorded = 0
  for (const { site, vouchers } of found)
    recorded += await recordLostVouchers(tools, commandActor(), site, vouchers, { withdraw: withdraw ?? false })
  const next = withdraw ? ` ${await whenDeleted(tools.db)}` : ''
  terminal.stderr.write(`Recorded: ${recorded}.${next}\n`)
}

async function whenDeleted(db: Database): Promise<string> {
  return (await findHold(db))
    ? 'The service is held. The worker deletes them on the controller after `voucher-service resume`.'
    : 'The worker deletes them on the controller now.'
}

async function listSites(db: Database, only: number | undefined): Promise<SiteOnController[]> {
  const sites = await listSitesOnControllers(db, only ?? null)
  if (only !== undefined && sites.length === 0) throw new DomainError('site_not_found', { details: { ids: only } })
  return sites
}

async function findAll(tools: ControllerTools, sites: SiteOnController[]) {
  const found: Lost[] = []
  const failed: { site: SiteOnController; failure: string }[] = []
  for (const site of sites) {
    try {
      found.push({ site, vouchers: await findLostVouchers(tools, site) })
    } catch (error) {
      const failure = controllerFailure(error)
      if (failure === undefined) throw error
      failed.push({ site, failure })
    }
  }
  return { found, failed }
}

function toRows({ site, vouchers }: Lost) {
  return vouchers.map(({ shape, formattedCode, createdAt, usedCount, isOurs }) => ({
    site: site.id,
    name: visibleText(withoutTag(shape.name)),
    code: formattedCode,
    createdAt,
    uses: usedCount,
    madeByOurAccount: isOurs ?? 'unknown',
  }))
}
