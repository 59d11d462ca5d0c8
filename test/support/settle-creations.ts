import { type SettleContext, takeUnsettled } from '#domain/creating/settle-creations.ts'

/** Settles the due creations, as a worker does. Returns how many it settled. */
export async function settleCreations(ctx: SettleContext): Promise<number> {
  const settled = await Promise.all((await takeUnsettled(ctx, 50)).map(({ settle }) => settle()))
  return settled.reduce((total, count) => total + count, 0)
}
