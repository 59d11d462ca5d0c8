import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { randomBase62 } from '#domain/keys/key.ts'
import { rotateSecrets } from '#domain/secrets/rotate-secrets.ts'
import { withKeyring } from './connections.ts'
import { print } from './terminal/output.ts'
import type { Terminal } from './terminal/terminal.ts'

export function registerSecrets(secrets: Command, terminal: Terminal): void {
  secrets
    .command('generate')
    .description('print a new entry for ENCRYPTION_KEYS')
    .action(() => {
      const id = `k${new Date().toISOString().slice(0, 10).replaceAll('-', '')}${randomBase62(4)}`
      terminal.stdout.write(`${id}:${randomBytes(32).toString('base64')}\n`)
    })

  secrets
    .command('rotate')
    .description(
      'encrypt every stored secret with the first of ENCRYPTION_KEYS; every running process must have that key already',
    )
    .action(async () =>
      print(terminal, await withKeyring(terminal, (db, config) => rotateSecrets(db, config.encryptionKeys))),
    )
}
