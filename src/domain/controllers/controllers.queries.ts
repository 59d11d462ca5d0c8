import { type Queryable, undefinedIfTaken } from '#db/database.ts'

export type Controller = {
  id: string
  name: string
  driver: string
  address: string
  certificatePin: Buffer | null
  hasSecret: boolean
  siteCount: number
  createdAt: Date
}

const controllerColumns = `id, name, driver, address, certificate_pin as "certificatePin",
  secret is not null as "hasSecret", created_at as "createdAt",
  (select count(*)::integer from sites where sites.controller_id = controllers.id) as "siteCount"`

export async function listControllers(db: Queryable): Promise<Controller[]> {
  const { rows } = await db.query<Controller>(`select ${controllerColumns} from controllers order by name`)
  return rows
}

/** Controllers by name, page by page. */
export async function listControllerPage(
  db: Queryable,
  options: { after: { name: string; id: string } | undefined; limit: number },
): Promise<Controller[]> {
  const { rows } = await db.query<Controller>(
    `select ${controllerColumns} from controllers
      where $1::text is null or (name, id) > ($1, $2::uuid)
      order by name, id
      limit $3`,
    [options.after?.name ?? null, options.after?.id ?? null, options.limit],
  )
  return rows
}

/** Names one controller: people use its name, programs its id. */
export type ControllerRef = string | { id: string }

const isReferredToSql = '(id = $1::uuid or name = $2)'

function refValues(ref: ControllerRef): [id: string | null, name: string | null] {
  return typeof ref === 'string' ? [null, ref] : [ref.id, null]
}

/** Keeps the controller from being removed until the transaction ends. */
export async function findController(db: Queryable, ref: ControllerRef): Promise<Controller | undefined> {
  const { rows } = await db.query<Controller>(
    `select ${controllerColumns} from controllers where ${isReferredToSql} for key share`,
    refValues(ref),
  )
  return rows[0]
}

/** Up to three names that resemble the given one, the most similar first. */
export async function listSimilarControllers(db: Queryable, name: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select name from controllers where similarity(name, $1) > 0.3 order by similarity(name, $1) desc, name limit 3`,
    [name],
  )
  return rows.map((row) => row.name)
}

/**
 * The controller with its encrypted credentials. Locks the row until the transaction ends, so the change is based on
 * current values. A second statement reads the row: the first one would count the sites as they were before it waited.
 */
export async function findControllerToChange(
  tx: Queryable,
  ref: ControllerRef,
): Promise<(Controller & { secret: string | null }) | undefined> {
  await tx.query(`select from controllers where ${isReferredToSql} for update`, refValues(ref))
  const { rows } = await tx.query<Controller & { secret: string | null }>(
    `select ${controllerColumns}, secret from controllers where ${isReferredToSql}`,
    refValues(ref),
  )
  return rows[0]
}

export type ControllerPlace = Pick<Controller, 'id' | 'name' | 'driver' | 'address' | 'certificatePin'>

/** The controllers with these names. Unknown names are left out. Keeps the controllers from being removed until the transaction ends. */
export async function listControllersByName(db: Queryable, names: string[]): Promise<ControllerPlace[]> {
  const { rows } = await db.query<ControllerPlace>(
    `select id, name, driver, address, certificate_pin as "certificatePin"
       from controllers where name = any ($1) for key share`,
    [names],
  )
  return rows
}

/** The controllers at these addresses, with their encrypted credentials. */
export async function listControllersAt(
  db: Queryable,
  addresses: string[],
): Promise<{ id: string; address: string; secret: string | null }[]> {
  const { rows } = await db.query<{ id: string; address: string; secret: string | null }>(
    'select id, address, secret from controllers where address = any ($1) order by created_at, id',
    [addresses],
  )
  return rows
}

/** Undefined when the name is taken. */
export async function insertController(
  db: Queryable,
  controller: {
    id: string
    name: string
    driver: string
    address: string
    secret: string | null
    certificatePin: Buffer | null
  },
): Promise<Controller | undefined> {
  const { rows } = await db.query<Controller>(
    `insert into controllers (id, name, driver, address, secret, certificate_pin) values ($1, $2, $3, $4, $5, $6)
     on conflict (name) do nothing
     returning ${controllerColumns}`,
    [
      controller.id,
      controller.name,
      controller.driver,
      controller.address,
      controller.secret,
      controller.certificatePin,
    ],
  )
  return rows[0]
}

/** Undefined when another controller has the name. The transaction is aborted then. */
export async function updateController(
  tx: Queryable,
  controller: {
    id: string
    name: string
    address: string
    certificatePin: Buffer | null
    secret: string | null
    keepSession: boolean
  },
): Promise<Controller | undefined> {
  const { id, name, address, certificatePin, secret, keepSession } = controller
  const updated = await tx
    .query<Controller>(
      `update controllers
          set name = $2, address = $3, certificate_pin = $4, secret = $5,
              session = case when $6 then session end,
              session_id = case when $6 then session_id end,
              stamp_skew_ms = case when $6 then stamp_skew_ms end,
              signing_in_until = case when $6 then signing_in_until end,
              sign_in_paused_until = case when $6 then sign_in_paused_until end
        where id = $1
       returning ${controllerColumns}`,
      [id, name, address, certificatePin, secret, keepSession],
    )
    .catch(undefinedIfTaken)
  return updated?.rows[0]
}

/** The caller holds the row's lock and has checked that no site is on the controller. */
export async function deleteController(tx: Queryable, id: string): Promise<void> {
  await tx.query('delete from controller_outages where controller_id = $1', [id])
  await tx.query('delete from controllers where id = $1', [id])
}

/** The sites of a controller, by number: all of them, or the first ones. */
export async function listSitesOfController(
  db: Queryable,
  id: string,
  limit: number | null = null,
): Promise<{ id: number; name: string; controllerSite: string }[]> {
  const { rows } = await db.query<{ id: number; name: string; controllerSite: string }>(
    `select id, name, controller_site as "controllerSite" from sites where controller_id = $1 order by id limit $2`,
    [id, limit],
  )
  return rows
}

export async function updateStampSkew(db: Queryable, id: string, skewMs: number): Promise<void> {
  await db.query('update controllers set stamp_skew_ms = $2 where id = $1', [id, skewMs])
}

/** Everything that is needed to connect to a controller. `secret` is encrypted. */
export type StoredController = {
  controllerId: string
  driver: string
  address: string
  secret: string | null
  certificatePin: Buffer | null
  /** How far the time stamps of vouchers are ahead of the `Date` of replies; null until it was measured. */
  stampSkewMs: number | null
}

/** The columns of `StoredController` for a controller `c`. */
export const storedControllerColumnsSql = `c.id as "controllerId", c.driver, c.address, c.secret,
  c.certificate_pin as "certificatePin", c.stamp_skew_ms as "stampSkewMs"`

export async function findStoredController(db: Queryable, ref: ControllerRef): Promise<StoredController | undefined> {
  const { rows } = await db.query<StoredController>(
    `select ${storedControllerColumnsSql} from controllers c where ${isReferredToSql}`,
    refValues(ref),
  )
  return rows[0]
}

/** An SQL condition on a site `s`: its controller has an outage. */
export const controllerIsOutSql = `exists (select from controller_outages o where o.controller_id = s.controller_id and o.until is null)`
