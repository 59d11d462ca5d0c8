import type { Database } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import { type Actor, requireAllSites } from '../actor.ts'
import { changed, isChange, recordChange } from '../audit/record-audit.ts'
import { checkPin, type DriverForms, findDriver, parseAddress } from '../controllers/add-controller.ts'
import { decryptUsername, encryptCredentials, newCredentials } from '../controllers/controller-credentials.ts'
import { updateOutageProbedNow } from '../controllers/controller-outages.queries.ts'
import {
  type Controller,
  type ControllerRef,
  findControllerToChange,
  updateController,
} from '../controllers/controllers.queries.ts'
import { controllerNotFound } from '../controllers/find-controller.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'

import { updateFailingSitesDueForSync } from './sync-times.queries.ts'

type SetContext = { db: Database; keyring: Keyring; drivers: DriverForms }

/** Undefined fields keep their value. A pin of null removes the pin. `secret` is a new password or API key. */
type ControllerRequest = {
  rename?: string | undefined
  address?: string | undefined
  certificatePin?: Buffer | null | undefined
  username?: string | undefined
  secret?: string | undefined
}

/** A change after which the controller may be another one. */
type Move = 'address' | 'certificatePin'

/**
 * Changes a controller. A new address or pin without a new secret erases the credentials: otherwise they could be sent to
 * a server that they were not entered for.
 */
export async function setController(
  { db, keyring, drivers }: SetContext,
  actor: Actor,
  ref: ControllerRef,
  request: ControllerRequest,
): Promise<{ controller: Controller; erasedBecause: Move[] }> {
  requireAllSites(actor)
  return db.transaction(async (tx) => {
    const found = await findControllerToChange(tx, ref)
    if (!found) throw await controllerNotFound(tx, ref)
    const { secret: stored, ...before } = found
    const { id, driver } = before
    const after = {
      name: request.rename === undefined ? before.name : plainName(request.rename),
      address:
        request.address === undefined ? before.address : parseAddress(findDriver(drivers, driver), request.address),
      certificatePin: request.certificatePin === undefined ? before.certificatePin : request.certificatePin,
    }
    if (request.address !== undefined || request.certificatePin) checkPin(findDriver(drivers, driver), after)
    const difference = changed(readable(before), readable(after))
    const moved = (['address', 'certificatePin'] as const).filter((move) => move in difference.changes)
    const entered = newCredentials({ name: driver, kind: drivers[driver]?.credentials }, request, () =>
      decryptUsername(keyring, id, stored),
    )
    if (!entered && !isChange(difference)) return { controller: before, erasedBecause: [] }

    const kept = moved.length > 0 ? null : stored
    const secret = entered ? encryptCredentials(keyring, id, entered) : kept
    const controller = await updateController(tx, { id, ...after, secret, keepSession: moved.length === 0 && !entered })
    if (!controller) throw new DomainError('controller_name_taken', { details: { name: after.name } })
    if (entered || moved.length > 0) {
      // The service tries the controller again at once.
      await updateFailingSitesDueForSync(tx, id)
      await updateOutageProbedNow(tx, id)
    }
    const secretErased = stored !== null && secret === null
    const details = {
      name: before.name,
      ...(entered && { secretReplaced: true }),
      ...(secretErased && { secretErased }),
    }
    const entry = { action: 'controller.changed', targetKind: 'controller', targetId: id, details }
    await recordChange(tx, actor, entry, difference)
    return { controller, erasedBecause: secretErased ? moved : [] }
  })
}

type Fields = Pick<Controller, 'name' | 'address' | 'certificatePin'>

/** A controller as the audit shows it. */
function readable({ name, address, certificatePin }: Fields) {
  return { name, address, certificatePin: certificatePin && formatFingerprint(certificatePin) }
}
