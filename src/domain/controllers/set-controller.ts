import type { Database } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import { type Actor, requireAllSites } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { checkPin, type DriverForms, findDriver, parseAddress } from './add-controller.ts'
import { decryptUsername, encryptCredentials, newCredentials } from './controller-credentials.ts'
import { type Controller, type ControllerRef, findControllerToChange, updateController } from './controllers.queries.ts'
import { controllerNotFound } from './find-controller.ts'

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
    const changes = differences(before, after)
    const moved = (['address', 'certificatePin'] as const).filter((move) => changes[move])
    const entered = newCredentials({ name: driver, kind: drivers[driver]?.credentials }, request, () =>
      decryptUsername(keyring, id, stored),
    )
    if (!entered && Object.keys(changes).length === 0) return { controller: before, erasedBecause: [] }

    const kept = moved.length > 0 ? null : stored
    const secret = entered ? encryptCredentials(keyring, id, entered) : kept
    const controller = await updateController(tx, { id, ...after, secret, keepSession: moved.length === 0 && !entered })
    if (!controller) throw new DomainError('controller_name_taken', { details: { name: after.name } })
    const secretErased = stored !== null && secret === null
    await recordAudit(tx, actor, {
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
    return { controller, erasedBecause: secretErased ? moved : [] }
  })
}

type Fields = Pick<Controller, 'name' | 'address' | 'certificatePin'>
type Difference = { from: string | null; to: string | null }

/** The fields that differ, as the audit shows them. */
function differences(before: Fields, after: Fields): Partial<Record<keyof Fields, Difference>> {
  const [from, to] = [readable(before), readable(after)]
  const fields = (['name', 'address', 'certificatePin'] as const).filter((field) => from[field] !== to[field])
  return Object.fromEntries(fields.map((field) => [field, { from: from[field], to: to[field] }]))
}

function readable({ name, address, certificatePin }: Fields) {
  return { name, address, certificatePin: certificatePin && formatFingerprint(certificatePin) }
}
