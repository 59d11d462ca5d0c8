import type { Database } from '#db/database.ts'
import type { Driver } from '#drivers/driver.ts'
import type { Keyring } from '#lib/cipher.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { checkPin, controllerAddress } from './controller-address.ts'
import { controllerDifferences } from './controller-differences.ts'
import { type Controller, findControllerToChange, updateController } from './controllers.queries.ts'
import { newCredentials } from './new-credentials.ts'
import { openUsername, sealCredentials } from './seal-credentials.ts'

type SetContext = {
  db: Database
  keyring: Keyring
  drivers: Readonly<Record<string, Pick<Driver, 'credentials'>>>
}

/** What is undefined stays; a pin of null is removed. `secret` is a new password or API key. */
type ControllerRequest = {
  rename?: string | undefined
  address?: string | undefined
  certificatePin?: Buffer | null | undefined
  username?: string | undefined
  secret?: string | undefined
}

/**
 * Credentials are meant for the place they were entered for. After a change of address or pin the controller is sent
 * nothing until somebody who knows them enters them again.
 */
export async function setController(
  { db, keyring, drivers }: SetContext,
  name: string,
  request: ControllerRequest,
): Promise<{ controller: Controller; erasedBecause: string | undefined }> {
  return db.transaction(async (tx) => {
    const found = await findControllerToChange(tx, name)
    if (!found) throw new CommandRefused(`No controller is called "${name}".`)
    const { secret: stored, ...before } = found
    const { id, driver } = before
    const after = {
      name: request.rename === undefined ? before.name : plainName(request.rename),
      address: request.address === undefined ? before.address : controllerAddress(request.address),
      certificatePin: request.certificatePin === undefined ? before.certificatePin : request.certificatePin,
    }
    checkPin(after)
    const changes = controllerDifferences(before, after)
    const moved = movedBecause(changes)
    const entered = newCredentials({ name: driver, kind: drivers[driver]?.credentials }, request, () =>
      openUsername(keyring, id, stored),
    )
    if (!entered && Object.keys(changes).length === 0) return { controller: before, erasedBecause: undefined }

    const kept = moved ? null : stored
    const secret = entered ? sealCredentials(keyring, id, entered) : kept
    const controller = await updateController(tx, { id, ...after, secret, keepSession: !moved && !entered })
    if (!controller) throw new CommandRefused(`A controller is called "${after.name}" already.`)
    const secretErased = stored !== null && secret === null
    await recordAudit(tx, {
      action: 'controller.changed',
      targetKind: 'controller',
      targetId: id,
      details: {
        name: before.name,
        changes,
        ...(entered && { secretReplaced: true }),
        ...(secretErased && { secretErased }),
      },
    })
    return { controller, erasedBecause: secretErased ? moved : undefined }
  })
}

function movedBecause(changes: ReturnType<typeof controllerDifferences>): string | undefined {
  const moved = [...(changes.address ? ['the address'] : []), ...(changes.certificatePin ? ['the pin'] : [])]
  return moved.length > 0 ? `${moved.join(' and ')} changed` : undefined
}
