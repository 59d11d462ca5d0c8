import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import type { Credentials, Driver } from '#drivers/driver.ts'
import type { Keyring } from '#lib/cipher.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import { type Actor, requireAllSites } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { encryptCredentials } from './controller-credentials.ts'
import { type Controller, insertController } from './controllers.queries.ts'

/** The part of each driver that is needed to record a controller, by the driver's name. */
export type DriverForms = Readonly<Record<string, DriverForm>>

type DriverForm = Pick<Driver, 'address' | 'credentials'>

export type NewController = {
  name: string
  driver: string
  address: string
  /** Null: somebody enters them later. Until then, nothing can be done on the controller. */
  credentials: Credentials | null
  certificatePin?: Buffer | undefined
}

type AddContext = { keyring: Keyring; drivers: DriverForms }

export async function addController(
  { db, ...ctx }: AddContext & { db: Database },
  actor: Actor,
  request: NewController,
): Promise<Controller> {
  requireAllSites(actor)
  return db.transaction((tx) => storeController(tx, ctx, actor, request))
}

/** Checks and stores a new controller, in a transaction that may also add its sites. */
export async function storeController(
  tx: Queryable,
  { keyring, drivers }: AddContext,
  actor: Actor,
  request: NewController,
): Promise<Controller> {
  const { driver } = request
  const name = plainName(request.name)
  const address = parseAddress(findDriver(drivers, driver), request.address)
  const certificatePin = request.certificatePin ?? null
  checkPin(findDriver(drivers, driver), { address, certificatePin })
  const id = uuidv7()
  const secret = request.credentials && encryptCredentials(keyring, id, request.credentials)
  const controller = await insertController(tx, { id, name, driver, address, secret, certificatePin })
  if (!controller) throw new DomainError('controller_name_taken', { details: { name } })
  await recordAudit(tx, actor, {
    action: 'controller.added',
    targetKind: 'controller',
    targetId: id,
    details: { name, driver, address, certificatePin: certificatePin && formatFingerprint(certificatePin) },
  })
  return controller
}

export function findDriver(drivers: DriverForms, name: string): DriverForm {
  const driver = Object.hasOwn(drivers, name) ? drivers[name] : undefined
  if (!driver) throw new DomainError('driver_not_found', { details: { driver: name } })
  return driver
}

const codes = { malformed: 'controller_address_unreadable', has_extras: 'controller_address_with_extras' } as const

/** Returns the address in the form in which it is stored. Each driver has its own form. */
export function parseAddress({ address: { parse, rule, example } }: DriverForm, text: string): string {
  const parsed = parse(text)
  if ('problem' in parsed) throw new DomainError(codes[parsed.problem], { details: { rule, example } })
  return parsed.address
}

export function checkPin(driver: DriverForm, place: { address: string; certificatePin: Buffer | null }): void {
  if (place.certificatePin && !driver.address.hasCertificate(place.address))
    throw new DomainError('certificate_pin_without_tls')
}
