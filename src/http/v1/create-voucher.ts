import { DomainError } from '#domain/errors.ts'

/** POST /vouchers.php. No controller is spoken to yet, and the answer says so: no voucher exists after it. */
export async function refuseCreation(): Promise<never> {
  throw new DomainError('creation_not_built')
}
