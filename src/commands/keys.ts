import { type Command, Option } from 'commander'
import { validate as isUuid } from 'uuid'
import {
  createKey,
  importKey,
  type KeyChange,
  type KeyRequest,
  revokeKey,
  setKey,
} from '#domain/keys/administer-keys.ts'
import { defaultRateLimit, maxRateLimit, prefixOf, type Scope, scopes } from '#domain/keys/key.ts'
import { type ApiKeyWithSites, listKeys } from '#domain/keys/keys.queries.ts'
import { rollKey } from '#domain/keys/roll-key.ts'
import type { Config } from '../config.ts'
import { withDatabase } from './connections.ts'
import { collectSites, futureTime, graceEnd, sha256, wholeNumber } from './terminal/arguments.ts'
import { type IssuingOptions, toIssuing, withIssuingOptions } from './terminal/issuing-options.ts'
import { print } from './terminal/output.ts'
import { requireChange } from './terminal/refusals.ts'
import { commandActor, type Terminal } from './terminal/terminal.ts'

type NewKeyOptions = IssuingOptions & { name: string; scope: Scope; limit: number; site?: number[]; expires?: Date }
type SetOptions = IssuingOptions & {
  name?: string
  limit?: number
  site?: number[]
  allSites?: true
  expires?: Date | false
}
type ImportOptions = NewKeyOptions & { prefix: string; sha256: Buffer }

export function registerKeys(keys: Command, terminal: Terminal): void {
  withKeyOptions(keys.command('create'))
    .description('create a key and print it; it is shown only once')
    .action(async (options: NewKeyOptions) =>
      printKeys(
        terminal,
        await withDatabase(terminal, (db, config) => createKey(db, commandActor(), toRequest(options, config))),
      ),
    )

  withKeyOptions(keys.command('import'))
    .description('accept a key that another server with this API or another cell created, given its prefix and hash')
    .requiredOption('--prefix <prefix>', 'first part of the key: a word, an underscore, eight characters')
    .requiredOption('--sha256 <hex>', 'SHA-256 of the whole key', sha256)
    .action(async (options: ImportOptions) =>
      printKeys(
        terminal,
        await withDatabase(terminal, (db, config) =>
          importKey(db, commandActor(), toRequest(options, config), options),
        ),
      ),
    )

  keys
    .command('list')
    .description('list all keys, without their secrets, which are not stored')
    .action(async () => printKeys(terminal, await withDatabase(terminal, (db) => listKeys(db))))

  withIssuingOptions(keys.command('set'))
    .description('change a key at once and in every process; its scope never changes')
    .argument('<prefix>', 'prefix or id of the key, see `keys list`')
    .option('--name <name>', 'what the key is for')
    .option('--limit <n>', 'requests per minute, 0 for no limit', wholeNumber(0, maxRateLimit))
    .option('--site <id>', 'allow only this site; repeat the option for more', collectSites)
    .addOption(new Option('--all-sites', 'allow all sites, including later ones').conflicts('site'))
    .option('--expires <time>', 'when the key stops working: a time, or a duration such as 12h, 30d or 8w', futureTime)
    .addOption(new Option('--no-expires', 'the key never stops working'))
    .action(async (prefix: string, options: SetOptions) => {
      requireChange(options, 'keys set')
      printKeys(terminal, await withDatabase(terminal, (db) => setKey(db, commandActor(), prefix, toChange(options))))
    })

  keys
    .command('roll')
    .description('give a key a new secret and print it; it is shown only once')
    .argument('<prefix>', 'current prefix or id of the key, see `keys list`')
    .requiredOption(
      '--old-valid-until <time>',
      'when the old secret stops working: a time, a duration such as 12h or 7d (at most 30d), or now',
      graceEnd,
    )
    .action(async (named: string, { oldValidUntil }: { oldValidUntil: Date | 'now' }) =>
      printKeys(
        terminal,
        await withDatabase(terminal, (db, { cell }) =>
          rollKey(db, commandActor(), {
            named,
            currentPrefix: givenPrefix(named),
            oldValidUntil: oldValidUntil === 'now' ? null : oldValidUntil,
            cell,
          }),
        ),
      ),
    )

  keys
    .command('revoke')
    .description('reject a key from now on, in every process')
    .argument('<prefix>', 'prefix or id of the key, see `keys list`')
    .action(async (prefix: string) =>
      printKeys(terminal, await withDatabase(terminal, (db) => revokeKey(db, commandActor(), prefix))),
    )
}

/** Prints keys. Each old secret that still works becomes one text: its prefix and its end. */
function printKeys(terminal: Terminal, keys: ApiKeyWithSites | ApiKeyWithSites[]): void {
  const toRecord = ({ oldSecrets, ...key }: ApiKeyWithSites) => ({
    ...key,
    oldSecrets: oldSecrets.map(({ prefix, validUntil }) => `${prefix} until ${validUntil.toISOString()}`),
  })
  print(terminal, Array.isArray(keys) ? keys.map(toRecord) : toRecord(keys))
}

/** The prefix that the person entered; undefined for an id. A prefix stands for one secret, an id for the whole key. */
function givenPrefix(named: string): string | undefined {
  return isUuid(named) ? undefined : (prefixOf(named) ?? named)
}

function withKeyOptions(command: Command): Command {
  return withIssuingOptions(command)
    .requiredOption('--name <name>', 'what the key is for; notifications show it as "API: <name>"')
    .addOption(
      new Option('--scope <scope>', 'each scope includes those before it; manage needs --expires')
        .choices(scopes)
        .makeOptionMandatory(),
    )
    .option('--limit <n>', 'requests per minute, 0 for no limit', wholeNumber(0, maxRateLimit), defaultRateLimit)
    .option('--site <id>', 'allow only this site; repeat the option for more', collectSites)
    .option('--expires <time>', 'when the key stops working: a time, or a duration such as 12h, 30d or 8w', futureTime)
}

function toRequest({ name, scope, limit, site, expires, ...limits }: NewKeyOptions, { cell }: Config): KeyRequest {
  return { name, scope, rateLimit: limit, siteIds: site, expiresAt: expires ?? null, cell, ...toIssuing(limits) }
}

function toChange({ name, limit, site, allSites, expires, ...limits }: SetOptions): KeyChange {
  return {
    name,
    rateLimit: limit,
    siteIds: allSites ? 'all' : site,
    expiresAt: expires === false ? null : expires,
    ...toIssuing(limits),
  }
}
