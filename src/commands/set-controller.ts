import { type Command, Option } from 'commander'
import { setController } from '#domain/controllers/set-controller.ts'
import { CommandRefused } from '#domain/errors.ts'
import { drivers } from '#drivers/registry.ts'
import { fingerprint } from './arguments.ts'
import { askSecret } from './ask-secret.ts'
import { print } from './output.ts'
import { readSecret } from './read-secret.ts'
import { shellWord } from './shell-word.ts'
import { shownController } from './shown-controller.ts'
import { withDatabase, withKeyring } from './with-database.ts'

type SetOptions = {
  rename?: string
  address?: string
  pin?: Buffer | false
  username?: string
  secretFile?: string
  newSecret?: true
  keyLost?: true
}

export function registerSetController(controllers: Command): void {
  controllers
    .command('set')
    .description('change a controller; another address or pin erases its stored secret unless that is entered again')
    .argument('<name>', 'as listed')
    .option('--rename <name>', 'how people call it from now on')
    .option('--address <url>', 'e.g. https://192.168.1.1')
    .option('--pin <fingerprint>', 'SHA-256 of the one certificate it must show', fingerprint)
    .option('--no-pin', 'forget the pin: the public authorities decide')
    .option('--username <name>', 'local user, together with a new secret; the stored one when not given')
    .option('--secret-file <path>', 'file that holds the new API key or password; - reads it from standard input')
    .addOption(new Option('--new-secret', 'ask for the new API key or password').conflicts('secretFile'))
    .option('--key-lost', 'store the new secret even if others cannot be decrypted, because their key is lost')
    .action(async (name: string, { keyLost, ...options }: SetOptions, command: Command) => {
      const { rename, address, pin, username } = options
      if (Object.keys(options).length === 0) throw new CommandRefused('Nothing to change was given; see --help.')
      const secret = await readNewSecret(options)
      const use = secret === undefined || keyLost ? withDatabase : withKeyring
      const request = { rename, address, certificatePin: pin === false ? null : pin, username, secret }
      const { controller, erasedBecause } = await use((db, config) =>
        setController({ db, keyring: config.encryptionKeys, drivers }, name, request),
      )
      print(command, shownController(controller))
      if (erasedBecause) process.stderr.write(`${howToGoOn(controller, erasedBecause)}\n`)
    })
}

async function readNewSecret({ secretFile, newSecret }: SetOptions): Promise<string | undefined> {
  if (newSecret) return askSecret()
  return secretFile === undefined ? undefined : readSecret(secretFile)
}

function howToGoOn({ name, driver }: { name: string; driver: string }, because: string): string {
  const login = drivers[driver]?.credentials === 'login'
  return (
    `The stored ${login ? 'password' : 'API key'} was erased because ${because}; enter it again with: ` +
    `voucher-service controllers set ${shellWord(name)} ${login ? '--username … ' : ''}--secret-file …`
  )
}
