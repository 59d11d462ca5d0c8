import type { Command } from 'commander'
import type { Database } from '#db/database.ts'
import { failureOf } from '#domain/controllers/failure-of.ts'
import { CommandRefused } from '#domain/errors.ts'
import { listSitesOnControllers, maxSiteId, type SiteOnController } from '#domain/sites/sites.queries.ts'
import { findLostVouchers, recordLostVouchers } from '#domain/vouchers/reconcile-site.ts'
import { withoutTag } from '#domain/vouchers/voucher-note.ts'
import type { SeenVoucher } from '#drivers/driver.ts'
import { wholeNumber } from './arguments.ts'
import { confirm } from './confirm.ts'
import { print } from './output.ts'
import { visibleText } from './visible-text.ts'
import { type ControllerTools, withControllers } from './with-controllers.ts'

type Options = { site?: number; adopt?: true; withdraw?: true; yes?: true }

type Lost = { site: SiteOnController; vouchers: SeenVoucher[] }

export function registerReconcile(program: Command): void {
  program
    .command('reconcile')
    .description(
      'list vouchers that this service made on the controllers but that its record has lost; adopt or withdraw them',
    )
    .option('--site <id>', 'only this site; without it, all active sites', wholeNumber(1, maxSiteId))
    .option('--adopt', 'record them, so that they are listed and can be revoked')
    .option('--withdraw', 'record them, and let the worker delete them on the controller')
    .option('--yes', 'do not ask')
    .action(async (options: Options, command: Command) => {
      const { site, adopt, withdraw = false, yes } = options
      if (adopt && withdraw) throw new CommandRefused('Use either --adopt or --withdraw, not both.')
      await withControllers(async (tools) => {
        const { found, failed } = await findAll(tools, await listSites(tools.db, site))
        print(command, found.flatMap(shown))
        for (const { site: each, failure } of failed)
          process.stderr.write(
            `Site ${each.id} (${each.name}) could not be read: ${failure}. Check it with \`voucher-service sites test ${each.id}\`.\n`,
          )
        if (failed.length > 0) process.exitCode = 1
        if (adopt || withdraw) await recordAll(tools.db, found, { withdraw, yes: yes ?? false })
      })
    })
}

async function listSites(db: Database, only: number | undefined): Promise<SiteOnController[]> {
  const sites = await listSitesOnControllers(db, only ?? null)
  if (only !== undefined && sites.length === 0) throw new CommandRefused(`No site has the id ${only}.`)
  return sites
}

async function findAll(tools: ControllerTools, sites: SiteOnController[]) {
  const found: Lost[] = []
  const failed: { site: SiteOnController; failure: string }[] = []
  for (const site of sites) {
    try {
      found.push({ site, vouchers: await findLostVouchers(tools, site) })
    } catch (error) {
      const failure = failureOf(error)
      if (failure === undefined) throw error
      failed.push({ site, failure })
    }
  }
  return { found, failed }
}

function shown({ site, vouchers }: Lost) {
  return vouchers.map(({ shape, formattedCode, createdAt, usedCount, isOurs }) => ({
    site: site.id,
    name: visibleText(withoutTag(shape.name)),
    code: formattedCode,
    createdAt,
    uses: usedCount,
    madeByOurAccount: isOurs ?? 'not told',
  }))
}

async function recordAll(db: Database, found: Lost[], { withdraw, yes }: { withdraw: boolean; yes: boolean }) {
  const count = found.reduce((sum, { vouchers }) => sum + vouchers.length, 0)
  if (count === 0) return void process.stderr.write('No lost vouchers were found. There is nothing to do.\n')
  const what = withdraw ? `Withdraw ${count} vouchers: their codes stop working.` : `Record ${count} vouchers.`
  if (!yes) await confirm(`${what} Go on?`)
  let recorded = 0
  for (const { site, vouchers } of found) recorded += await recordLostVouchers(db, site, vouchers, { withdraw })
  process.stderr.write(`Recorded: ${recorded}.${withdraw ? ' The worker deletes them on the controller now.' : ''}\n`)
}
