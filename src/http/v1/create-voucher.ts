import { DomainError } from '#domain/errors.ts'
import type { Call } from './endpoint.ts'
import { toSiteId } from './site-id.ts'

/** POST /vouchers.php. No controller is spoken to yet, and the answer says so: no voucher exists after it. */
export async function refuseCreation({ body }: Call): Promise<never> {
  if (toSiteId((body as { site_id?: unknown } | undefined)?.site_id) === undefined)
    throw new DomainError('site_id_required')
  throw new DomainError('creation_not_built')
}
