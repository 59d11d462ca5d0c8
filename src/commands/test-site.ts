import type { Command } from 'commander'
import { findSiteWithController } from '#domain/controllers/controller-records.queries.ts'
import { CommandRefused } from '#domain/errors.ts'
import { maxSiteId } from '#domain/sites/sites.queries.ts'
import { diagnose } from '#drivers/diagnosis/diagnose.ts'
import type { LayerResult } from '#drivers/diagnosis/layers.ts'
import { wholeNumber } from './arguments.ts'
import { print } from './output.ts'
import { shellWord } from './shell-word.ts'
import { type ControllerTools, withControllers } from './with-controllers.ts'

export function registerTestSite(sites: Command): void {
  sites
    .command('test')
    .description('say layer by layer what works between here and the vouchers of a site; changes nothing')
    .argument('<id>', 'number of the site', wholeNumber(1, maxSiteId))
    .action(async (id: number, _options, command: Command) => {
      const results = await withControllers((tools) => testSite(tools, id))
      print(command, results)
      if (results.some(({ result }) => result === 'failed')) process.exitCode = 1
    })
}

export async function testSite(
  { db, controllers, addressPolicy }: ControllerTools,
  id: number,
): Promise<LayerResult[]> {
  const site = await findSiteWithController(db, id)
  if (!site) throw new CommandRefused(`No site has the id ${id}.`)
  const { address, certificatePin, controllerSite } = site
  const set = `voucher-service controllers set ${shellWord(site.controllerName)}`
  const username = controllers.driverOf(site).credentials === 'login' ? ' --username …' : ''
  return diagnose({
    address,
    certificatePin,
    addressPolicy,
    hasCredentials: site.secret !== null,
    controllerSite,
    connect: () => controllers.connectionOf(site),
    howToEnter: `${set}${username} --new-secret`,
    howToPin: (fingerprint) => `${set} --pin ${fingerprint} --new-secret`,
  })
}
