import type { Command } from 'commander'
import { CommandRefused } from '#domain/errors.ts'
import { activateSite } from '#domain/sites/activate-site.ts'
import { addSite } from '#domain/sites/add-site.ts'
import { setSite } from '#domain/sites/set-site.ts'
import { listSites, maxSiteId } from '#domain/sites/sites.queries.ts'
import { wholeNumber } from './arguments.ts'
import { registerImportSites } from './import-sites.ts'
import { print } from './output.ts'
import { registerTestSite } from './test-site.ts'
import { withDatabase } from './with-database.ts'

type SetOptions = { adopt?: boolean; tagNames?: boolean }
type AddOptions = { name: string; controller: string; controllerSite: string; inactive?: true; adopt?: true }

export function registerSites(program: Command): void {
  const sites = program.command('sites').description('sites, each tied to a controller')

  sites
    .command('add')
    .description('record a site of a controller')
    .requiredOption('--name <name>', 'how people call it; stands in answers and notifications')
    .requiredOption('--controller <name>', 'name of its controller')
    .option('--controller-site <id>', 'what the controller calls it', 'default')
    .option('--inactive', 'record it without opening it for vouchers')
    .option('--adopt', 'record vouchers too that others make on the controller')
    .action(async (options: AddOptions, command: Command) => {
      const { name, controller, controllerSite, inactive, adopt = false } = options
      const site = { name, controller, controllerSite, active: !inactive, adoptsVouchers: adopt }
      print(command, await withDatabase((db) => addSite(db, site)))
    })

  registerImportSites(sites)

  sites
    .command('list')
    .description('all sites, active or not')
    .action(async (_options, command: Command) => print(command, await withDatabase((db) => listSites(db))))

  sites
    .command('set')
    .description('change which vouchers are recorded, and how they are named on the controller')
    .argument('<id>', 'number of the site', wholeNumber(1, maxSiteId))
    .option('--adopt', 'also record vouchers that others make on the controller')
    .option('--no-adopt', 'record only vouchers that are made here')
    .option(
      '--tag-names',
      'append a short tag to each name on the controller, so that the service always recognises its vouchers',
    )
    .option('--no-tag-names', 'use names on the controller without a tag')
    .action(async (id: number, { adopt, tagNames }: SetOptions, command: Command) => {
      if (adopt === undefined && tagNames === undefined)
        throw new CommandRefused('Say what to change: --adopt, --no-adopt, --tag-names or --no-tag-names.')
      const settings = { adoptsVouchers: adopt, tagsNames: tagNames }
      print(command, await withDatabase((db) => setSite(db, id, settings)))
    })

  registerTestSite(sites)

  for (const [verb, active] of [
    ['activate', true],
    ['deactivate', false],
  ] as const) {
    sites
      .command(verb)
      .description(
        active ? 'open a site for vouchers' : 'close a site: creating there answers 404, lists stay readable',
      )
      .argument('<id>', 'number of the site', wholeNumber(1, maxSiteId))
      .action(async (id: number, _options, command: Command) =>
        print(command, await withDatabase((db) => activateSite(db, id, active))),
      )
  }
}
