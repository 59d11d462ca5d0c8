import { type Command, Option } from 'commander'
import { createKey, importKey, type KeyRequest } from '#domain/keys/create-key.ts'
import { defaultRateLimit, maxRateLimit, type Scope } from '#domain/keys/key.ts'
import { listKeys } from '#domain/keys/keys.queries.ts'
import { revokeKey } from '#domain/keys/revoke-key.ts'
import { manySites, sha256, timeToCome, wholeNumber } from './arguments.ts'
import { print } from './output.ts'
import { withDatabase } from './with-database.ts'

type NewKeyOptions = { name: string; scope: Scope; limit: number; site?: number[]; expires?: Date }
type ImportOptions = NewKeyOptions & { prefix: string; sha256: Buffer }

export function registerKeys(program: Command): void {
  const keys = program.command('keys').description('API keys')

  withKeyOptions(keys.command('create'))
    .description('make a key and print it: it is shown this once')
    .action(async (options: NewKeyOptions, command: Command) =>
      print(command, await withDatabase((db) => createKey(db, toRequest(options)))),
    )

  withKeyOptions(keys.command('import'))
    .description('take over a key of another server of this API by its prefix and hash')
    .requiredOption('--prefix <prefix>', 'front of the key: word, underscore, eight characters')
    .requiredOption('--sha256 <hex>', 'SHA-256 of the whole key', sha256)
    .action(async (options: ImportOptions, command: Command) =>
      print(command, await withDatabase((db) => importKey(db, toRequest(options), options))),
    )

  keys
    .command('list')
    .description('all keys; their secrets are stored nowhere')
    .action(async (_options, command: Command) => print(command, await withDatabase((db) => listKeys(db))))

  keys
    .command('revoke')
    .description('refuse a key from now on, in every process')
    .argument('<prefix>', 'prefix or id of the key, as listed')
    .action(async (prefix: string, _options, command: Command) =>
      print(command, await withDatabase((db) => revokeKey(db, prefix))),
    )
}

function withKeyOptions(command: Command): Command {
  return command
    .requiredOption('--name <name>', 'what it is for; stands in notifications as "API: <name>"')
    .addOption(new Option('--scope <scope>', 'write includes read').choices(['read', 'write']).makeOptionMandatory())
    .option('--limit <n>', 'requests per minute, 0 for no limit', wholeNumber(0, maxRateLimit), defaultRateLimit)
    .option('--site <id>', 'only this site; repeat for more', manySites)
    .option('--expires <time>', 'when it ends', timeToCome)
}

function toRequest({ name, scope, limit, site, expires }: NewKeyOptions): KeyRequest {
  return { name, scope, rateLimit: limit, siteIds: site, expiresAt: expires ?? null }
}
