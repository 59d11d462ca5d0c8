import { v7 as uuidv7 } from 'uuid'
import type { Database } from '#db/database.ts'
import type { Credentials } from '#drivers/driver.ts'
import { type Keyring, seal } from '#lib/cipher.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { type Controller, insertController } from './controllers.queries.ts'

export async function addController(
  db: Database,
  keyring: Keyring,
  request: {
    name: string
    driver: string
    address: string
    credentials: Credentials
    certificatePin?: Buffer
  },
): Promise<Controller> {
  const { driver } = request
  const name = plainName(request.name)
  const address = controllerAddress(request.address)
  const certificatePin = request.certificatePin ?? null
  if (certificatePin && !address.startsWith('https:'))
    throw new CommandRefused('Only an https:// address has a certificate.')
  const id = uuidv7()
  const secret = seal(keyring, { table: 'controllers', column: 'secret', row: id }, JSON.stringify(request.credentials))
  return db.transaction(async (tx) => {
    const controller = await insertController(tx, { id, name, driver, address, secret, certificatePin })
    if (!controller) throw new CommandRefused(`A controller is called "${name}" already.`)
    await recordAudit(tx, {
      action: 'controller.added',
      targetKind: 'controller',
      targetId: id,
      details: { name, driver, address, certificatePin: certificatePin && formatFingerprint(certificatePin) },
    })
    return controller
  })
}

/** Scheme, host, port and path only: a password in the address would be stored and shown in clear. */
function controllerAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    throw new CommandRefused('The address must begin with https:// (or http://), e.g. https://192.168.1.1.')
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new CommandRefused('The address must hold no user name, password, query or fragment.')
  }
  return url.href.replace(/\/$/, '')
}
