import { type Command, Option } from 'commander'
import { maxSiteId } from '#domain/sites/sites.queries.ts'
import { addTemplate, removeTemplate, setTemplate } from '#domain/templates/administer-templates.ts'
import { listTemplates, maxLimit, maxUnusedDays } from '#domain/templates/templates.queries.ts'
import { withDatabase } from './connections.ts'
import { uuid, wholeNumber } from './terminal/arguments.ts'
import { print } from './terminal/output.ts'
import { requireChange } from './terminal/refusals.ts'
import { commandActor, type Terminal } from './terminal/terminal.ts'

type AddOptions = {
  name?: string
  site?: number
  minutes: number
  uses: number
  down: number
  up: number
  quota: number
  unusedDays?: number | null
}

type SetOptions = Partial<Omit<AddOptions, 'site' | 'unusedDays'>> & {
  unusedDays?: number | false
  default?: boolean
  before?: string
  last?: true
}

export function registerTemplates(templates: Command, terminal: Terminal): void {
  const limit = wholeNumber(0, maxLimit)

  templates
    .command('add')
    .description('add a template, for one site or for all sites')
    .option('--name <name>', 'display name; without it, the duration')
    .option('--site <id>', 'offer the template only for this site', wholeNumber(1, maxSiteId))
    .requiredOption('--minutes <n>', 'how long a voucher lasts from its first use', wholeNumber(1, maxLimit))
    .option('--uses <n>', 'number of devices, 0 for any number', limit, 1)
    .option('--down <kbps>', 'download limit in kbit/s, 0 for none', limit, 0)
    .option('--up <kbps>', 'upload limit in kbit/s, 0 for none', limit, 0)
    .option('--quota <mb>', 'data limit in MB, 0 for none', limit, 0)
    .option(
      '--unused-days <n>',
      'withdraw a voucher after this many days if nobody has used it',
      wholeNumber(1, maxUnusedDays),
    )
    .action(async ({ name = '', site, minutes, uses, down, up, quota, unusedDays = null }: AddOptions) => {
      const shape = { maxUses: uses, expireMinutes: minutes, downKbps: down, upKbps: up, quotaMb: quota }
      const template = { name, siteId: site ?? null, ...shape, unusedDays }
      print(terminal, await withDatabase(terminal, (db) => addTemplate(db, commandActor(), template)))
    })

  templates
    .command('set')
    .description('change a template; vouchers that were created from it stay as they are')
    .argument('<id>', 'id of the template, see `templates list`', uuid)
    .option('--name <name>', 'new display name; empty for the duration')
    .option('--minutes <n>', 'how long a voucher lasts from its first use', wholeNumber(1, maxLimit))
    .option('--uses <n>', 'number of devices, 0 for any number', limit)
    .option('--down <kbps>', 'download limit in kbit/s, 0 for none', limit)
    .option('--up <kbps>', 'upload limit in kbit/s, 0 for none', limit)
    .option('--quota <mb>', 'data limit in MB, 0 for none', limit)
    .option(
      '--unused-days <n>',
      'withdraw a voucher after this many days if nobody has used it',
      wholeNumber(1, maxUnusedDays),
    )
    .option('--no-unused-days', 'do not withdraw unused vouchers')
    .option('--default', 'the desk begins with this template')
    .option('--no-default', 'the desk no longer begins with this template')
    .addOption(new Option('--before <id>', 'move it before this template').argParser(uuid).conflicts('last'))
    .option('--last', 'move it to the end')
    .action(async (id: string, options: SetOptions) => {
      requireChange(options, 'templates set')
      const { name, minutes, uses, down, up, quota, unusedDays, default: isDefault, last } = options
      const limits = { expireMinutes: minutes, maxUses: uses, downKbps: down, upKbps: up, quotaMb: quota }
      const place = { isDefault, before: last ? null : options.before }
      const change = { name, ...limits, ...place, unusedDays: unusedDays === false ? null : unusedDays }
      print(terminal, await withDatabase(terminal, (db) => setTemplate(db, commandActor(), id, change)))
    })

  templates
    .command('list')
    .description('list all templates in their order; those without a site are for all sites')
    .action(async () => print(terminal, await withDatabase(terminal, (db) => listTemplates(db))))

  templates
    .command('remove')
    .description('remove a template; vouchers that were created from it stay as they are')
    .argument('<id>', 'id of the template, see `templates list`', uuid)
    .action(async (id: string) =>
      print(terminal, await withDatabase(terminal, (db) => removeTemplate(db, commandActor(), id))),
    )
}
