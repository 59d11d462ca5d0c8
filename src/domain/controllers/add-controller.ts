import { v7 as uuidv7 } from 'uuid'
import type { Database } from '#db/database.ts'
import type { Credentials } from '#drivers/driver.ts'
import type { Keyring } from '#lib/cipher.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { checkPin, controllerAddress } from './controller-address.ts'
import { type Controller, insertController } from './controllers.queries.ts'
import { sealCredentials } from './seal-credentials.ts'

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
  checkPin({ address, certificatePin })
  const id = uuidv7()
  const secret = sealCredentials(keyring, id, request.credentials)
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
