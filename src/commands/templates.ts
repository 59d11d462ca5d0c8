import type { Command } from 'commander'
import { maxSiteId } from '#domain/sites/sites.queries.ts'
import { addTemplate } from '#domain/templates/add-template.ts'
import { removeTemplate } from '#domain/templates/remove-template.ts'
import { listTemplates, maxLimit } from '#domain/templates/templates.queries.ts'
import { uuid, wholeNumber } from './arguments.ts'
import { print } from './output.ts'
import { withDatabase } from './with-database.ts'

type AddOptions = {
  name: string
  site?: number
  minutes: number
  uses: number
  down: number
  up: number
  quota: number
}

export function registerTemplates(program: Command): void {
  const templates = program.command('templates').description('named durations and limits for new vouchers')
  const limit = wholeNumber(0, maxLimit)

  templates
    .command('add')
    .description('record a template, for one site or for all')
    .requiredOption('--name <name>', 'how people call it')
    .option('--site <id>', 'only for this site', wholeNumber(1, maxSiteId))
    .requiredOption('--minutes <n>', 'how long a voucher lasts from its first use', wholeNumber(1, maxLimit))
    .option('--uses <n>', 'on how many devices, 0 for any number', limit, 1)
    .option('--down <kbps>', 'limit of the download in kbit/s, 0 for none', limit, 0)
    .option('--up <kbps>', 'limit of the upload in kbit/s, 0 for none', limit, 0)
    .option('--quota <mb>', 'limit of the data in MB, 0 for none', limit, 0)
    .action(async (options: AddOptions, command: Command) => {
      const { name, site, minutes, uses, down, up, quota } = options
      const shape = { maxUses: uses, expireMinutes: minutes, downKbps: down, upKbps: up, quotaMb: quota }
      print(command, await withDatabase((db) => addTemplate(db, { name, siteId: site ?? null, ...shape })))
    })

  templates
    .command('list')
    .description('all templates; those without a site are for all')
    .action(async (_options, command: Command) => print(command, await withDatabase((db) => listTemplates(db))))

  templates
    .command('remove')
    .description('forget a template; vouchers that were made from it stay as they are')
    .argument('<id>', 'id of the template, as listed', uuid)
    .action(async (id: string, _options, command: Command) =>
      print(command, await withDatabase((db) => removeTemplate(db, id))),
    )
}
