import { type Command, Option } from 'commander'
import { addController, findDriver } from '#domain/controllers/add-controller.ts'
import { checkUsername, toCredentials } from '#domain/controllers/controller-credentials.ts'
import {
  type Controller,
  findController,
  findStoredController,
  listControllers,
  listSitesOfController,
} from '#domain/controllers/controllers.queries.ts'
import { controllerNotFound } from '#domain/controllers/find-controller.ts'
import { removeController } from '#domain/controllers/remove-controller.ts'
import { setController } from '#domain/sites/set-controller.ts'
import type { Driver } from '#drivers/driver.ts'
import type { Verification } from '#drivers/verification/verify.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import { shellWord } from '#lib/shell-word.ts'
import { serviceVersion } from '#lib/version.ts'
import { visibleText } from '#lib/visible-text.ts'
import { loadConfig } from '../../config.ts'
import { withControllers, withDatabase, withKeyring } from '../connections.ts'
import { fingerprint } from '../terminal/arguments.ts'
import { forPeople, print } from '../terminal/output.ts'
import { askSecret, confirm } from '../terminal/prompts.ts'
import { readSecret } from '../terminal/read-input.ts'
import { CommandRefused, requireChange } from '../terminal/refusals.ts'
import { commandActor, type Terminal } from '../terminal/terminal.ts'
import { explainingCertificate } from './check-layers.ts'

/** The largest number of sites that one controller can reasonably have. */
const maxListedSites = 10_000

type Drivers = Readonly<Record<string, Driver>>
type AddOptions = { name: string; driver: string; address: string; username?: string; secretFile: string; pin?: Buffer }
type SetOptions = {
  rename?: string
  address?: string
  pin?: Buffer | false
  username?: string
  secretFile?: string
  newSecret?: true
  keyLost?: true
}
type VerifyOptions = { site: string; yes?: true }

export async function registerControllers(controllers: Command, terminal: Terminal): Promise<void> {
  // Loading the drivers takes 0.2 s, and only the options of `add` list them.
  const drivers = terminal.argv.includes('add') ? await loadDrivers() : {}

  controllers
    .command('add')
    .description('add a controller; its credentials are encrypted before they are stored')
    .requiredOption('--name <name>', 'display name')
    .addOption(
      new Option('--driver <driver>', describeDrivers(drivers)).choices(Object.keys(drivers)).makeOptionMandatory(),
    )
    .requiredOption('--address <url>', 'e.g. https://192.168.1.1')
    .option('--username <name>', 'local user, for drivers that sign in')
    .option('--pin <fingerprint>', 'SHA-256 of the only certificate to accept, if it is self-signed', fingerprint)
    .requiredOption('--secret-file <path>', 'file with the API key or password; - reads it from standard input')
    .action(async ({ name, driver, address, username, pin, secretFile }: AddOptions) => {
      checkUsername(driver, findDriver(drivers, driver), username)
      const credentials = toCredentials(username, await readSecret(terminal, secretFile))
      const controller = { name, driver, address, credentials, ...(pin && { certificatePin: pin }) }
      const added = await withKeyring(terminal, (db, config) =>
        addController({ db, keyring: config.encryptionKeys, drivers }, commandActor(), controller),
      )
      print(terminal, toPrintable(added))
    })

  controllers
    .command('set')
    .description('change a controller; a new address or pin erases its stored secret unless you enter it again')
    .argument('<name>', 'name of the controller, see `controllers list`')
    .option('--rename <name>', 'new display name')
    .option('--address <url>', 'e.g. https://192.168.1.1')
    .option('--pin <fingerprint>', 'SHA-256 of the only certificate to accept', fingerprint)
    .option('--no-pin', 'remove the pin: accept certificates of public certificate authorities')
    .option('--username <name>', 'local user, together with a new secret; otherwise the stored one is used')
    .option('--secret-file <path>', 'file with the new API key or password; - reads it from standard input')
    .addOption(new Option('--new-secret', 'ask for the new API key or password').conflicts('secretFile'))
    .option('--key-lost', 'store the new secret even if others cannot be decrypted, because their key is lost')
    .action((name: string, options: SetOptions) => change(terminal, name, options))

  controllers
    .command('fingerprint')
    .description('show the certificate of an address, to compare it with the controller and pin it; sends no secret')
    .argument('<url>', 'e.g. https://192.168.1.1')
    .action((url: string) => showCertificate(terminal, url))

  controllers
    .command('verify')
    .description('create a voucher on a real controller, find it, delete it; prints a report without names and codes')
    .argument('<name>', 'name of the controller, see `controllers list`')
    .option('--site <id>', 'id of the site on the controller', 'default')
    .option('--yes', 'do not ask for confirmation')
    .action((name: string, options: VerifyOptions) => verifyController(terminal, name, options))

  controllers
    .command('sites')
    .description('list the sites that a controller has, and which of them are recorded here')
    .argument('<name>', 'name of the controller, see `controllers list`')
    .option('--site <id>', 'site on which a hotspot operator signs in', 'default')
    .action((name: string, { site }: { site: string }) => listSitesOf(terminal, name, site))

  controllers
    .command('remove')
    .description('remove a controller that has no sites, and its credentials')
    .argument('<name>', 'name of the controller, see `controllers list`')
    .action(async (name: string) =>
      print(terminal, await withDatabase(terminal, (db) => removeController(db, commandActor(), name))),
    )

  controllers
    .command('list')
    .description('list all controllers, without their secrets')
    .action(async () => {
      const all = await withDatabase(terminal, (db) => listControllers(db))
      print(terminal, all.map(toPrintable))
    })
}

async function loadDrivers(): Promise<Drivers> {
  return (await import('#drivers/registry.ts')).drivers
}

function describeDrivers(drivers: Drivers): string {
  return Object.entries(drivers)
    .map(([name, { about }]) => `${name}: ${about}`)
    .join('; ')
}

/** Shows the pin in the usual notation. */
function toPrintable({ certificatePin, ...controller }: Controller) {
  return { ...controller, certificatePin: certificatePin && formatFingerprint(certificatePin) }
}

async function change(terminal: Terminal, name: string, { keyLost, ...options }: SetOptions): Promise<void> {
  const { rename, address, pin, username } = options
  requireChange(options, 'controllers set')
  const secret = await readNewSecret(terminal, options)
  const drivers = await loadDrivers()
  const connect = secret === undefined || keyLost ? withDatabase : withKeyring
  const request = { rename, address, certificatePin: pin === false ? null : pin, username, secret }
  const { controller, erasedBecause } = await connect(terminal, (db, config) =>
    setController({ db, keyring: config.encryptionKeys, drivers }, commandActor(), name, request),
  )
  print(terminal, toPrintable(controller))
  if (erasedBecause.length > 0) {
    const changed = { address: 'the address', certificatePin: 'the pin' }
    const because = `${erasedBecause.map((field) => changed[field]).join(' and ')} changed`
    const needsLogin = drivers[controller.driver]?.credentials === 'login'
    terminal.stderr.write(
      `The stored ${needsLogin ? 'password' : 'API key'} was erased because ${because}. Enter it again with: ` +
        `voucher-service controllers set ${shellWord(controller.name)} ${needsLogin ? '--username … ' : ''}--secret-file …\n`,
    )
  }
}

async function readNewSecret(
  terminal: Terminal,
  { secretFile, newSecret }: Pick<SetOptions, 'secretFile' | 'newSecret'>,
): Promise<string | undefined> {
  if (newSecret) return askSecret(terminal, 'New password or API key')
  return secretFile === undefined ? undefined : readSecret(terminal, secretFile)
}

async function showCertificate(terminal: Terminal, url: string): Promise<void> {
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
    throw new CommandRefused('The address must begin with https://, e.g. https://192.168.1.1.')
  const { createControllerAddressPolicy } = await import('#drivers/controller-address-policy.ts')
  const { readCertificate } = await import('#drivers/http-base/connector.ts')
  const policy = createControllerAddressPolicy(loadConfig(terminal.env))
  const certificate = await readCertificate(new URL(url), policy).catch((error) => {
    throw new CommandRefused(
      `No certificate could be read from ${new URL(url).host} (${error.code ?? error.message}). Check the address and the port.`,
    )
  })
  print(terminal, certificate)
}

async function listSitesOf(terminal: Terminal, name: string, signInOn: string): Promise<void> {
  const { readControllerSites } = await import('#domain/sites/check-controller-site.ts')
  const { sites, recorded } = await withControllers(terminal, async (tools) => {
    const { db } = tools
    const sites = await explainingCertificate(tools, { controller: name, controllerSite: signInOn }, () =>
      readControllerSites(tools, commandActor(), name, signInOn),
    )
    const { id } = (await findController(db, name)) as Controller
    return { sites, recorded: await listSitesOfController(db, id, maxListedSites) }
  })
  const rows = sites.map(({ ids, name }) => {
    const site = recorded.find(({ controllerSite }) => ids.includes(controllerSite))
    return { controllerSite: visibleText(ids[0]), name: visibleText(name), recordedAs: site?.id ?? null }
  })
  print(terminal, rows)
}

async function verifyController(terminal: Terminal, name: string, { site, yes }: VerifyOptions): Promise<void> {
  const { verify } = await import('#drivers/verification/verify.ts')
  const shape = harmlessShape(new Date())
  const { driver, leftBehind, ...verification } = await withControllers(terminal, async ({ db, controllers }) => {
    const controller = await findStoredController(db, name)
    if (!controller) throw await controllerNotFound(db, name)
    if (controller.secret === null)
      throw new CommandRefused(
        `No credentials are stored for "${name}". Enter them with \`voucher-service controllers set ${shellWord(name)} --new-secret\`. Add \`--username …\` if the controller signs in with a user name and password.`,
      )
    if (!yes)
      await confirm(terminal, `This creates one voucher on "${name}", site "${site}", and deletes it again. Continue?`)
    const verified = await verify(controllers.connectionOf(controller), { site, shape })
    return { driver: controller.driver, ...verified }
  })
  const report = { service: serviceVersion(), node: process.version, driver, ...verification }
  if (terminal.json) print(terminal, report)
  else terminal.stdout.write(describeVerification(report))
  if (leftBehind)
    terminal.stderr.write(`A voucher "${shape.name}" may still exist on the controller. Delete it there.\n`)
  if (report.steps.some(({ result }) => result !== 'ok')) terminal.exitCode = 1
}

/**
 * A voucher for one device, one minute and little data. All limits are set, so the report shows how each is read back.
 */
function harmlessShape(now: Date) {
  const name = `voucher-service verify ${now.toISOString().slice(0, 10)}`
  return { name, maxUses: 1, expireMinutes: 1, downKbps: 2_000, upKbps: 1_000, quotaMb: 5 }
}

type VerificationReport = { service: string; node: string; driver: string } & Omit<Verification, 'leftBehind'>

/** A report to paste into an issue. */
function describeVerification({ steps, observations, ...about }: VerificationReport): string {
  return `\`\`\`text
${forPeople(about)}

${forPeople(steps)}

${forPeople(observations)}
\`\`\`
Please add the model of the controller, its firmware, and whether it is self-hosted.
`
}
