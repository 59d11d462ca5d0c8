import type { Queryable } from '#db/database.ts'

/** From now on, vouchers of a guest with this name cannot be erased, as if somebody had locked them. Returns what ends this. */
export async function breakErasing(db: Queryable, name: string): Promise<() => Promise<void>> {
  await db.query(
    `create function reject_erasing() returns trigger language plpgsql as $$ begin raise 'this row is broken'; end $$`,
  )
  await db.query(
    `create trigger reject_erasing before update of erased_at on vouchers for each row
      when (old.name = '${name}') execute function reject_erasing()`,
  )
  return async () => void (await db.query('drop function reject_erasing cascade'))
}
