import type { Queryable } from '#db/database.ts'

export type Controller = {
  id: string
  name: string
  driver: string
  address: string
  certificatePin: Buffer | null
  siteCount: number
  createdAt: Date
}

const controllerColumns = `id, name, driver, address, certificate_pin as "certificatePin", created_at as "createdAt",
  (select count(*)::integer from sites where sites.controller_id = controllers.id) as "siteCount"`

export async function listControllers(db: Queryable): Promise<Controller[]> {
  const { rows } = await db.query<Controller>(`select ${controllerColumns} from controllers order by name`)
  return rows
}

export async function findControllerByName(db: Queryable, name: string): Promise<Controller | undefined> {
  const { rows } = await db.query<Controller>(`select ${controllerColumns} from controllers where name = $1`, [name])
  return rows[0]
}

/** Undefined when the name is taken. */
export async function insertController(
  db: Queryable,
  controller: {
    id: string
    name: string
    driver: string
    address: string
    secret: string
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
