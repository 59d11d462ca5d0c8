import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { rotateSecrets } from '#domain/secrets/rotate-secrets.ts'
import { randomBase62 } from '#lib/base62.ts'
import { print } from './output.ts'
import { withKeyring } from './with-database.ts'

export function registerSecrets(program: Command): void {
  const secrets = program.command('secrets').description('the keys for the secrets at rest')

  secrets
    .command('generate')
    .description('print a new entry for ENCRYPTION_KEYS')
    .action(() => {
      const id = `k${new Date().toISOString().slice(0, 10).replaceAll('-', '')}${randomBase62(4)}`
      process.stdout.write(`${id}:${randomBytes(32).toString('base64')}\n`)
    })

  secrets
    .command('rotate')
    .description(
      'seal every stored secret with the first of ENCRYPTION_KEYS, which every running process must know already',
    )
    .action(async (_options, command: Command) =>
      print(command, await withKeyring((db, config) => rotateSecrets(db, config.encryptionKeys))),
    )
}
