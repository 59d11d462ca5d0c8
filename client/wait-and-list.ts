import { pause } from './call-with-retries.ts'

/** Reads a batch or a revocation again and again until it is no longer `running`. `signal` limits the wait. */
export async function waitUntilDone<T extends { state: string }>(
  read: () => Promise<T>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<T> {
  for (let waitMs = 250; ; waitMs = Math.min(waitMs * 1.5, 5_000)) {
    const current = await read()
    if (current.state !== 'running') return current
    await pause(waitMs, signal)
  }
}

type ItemOf<Page> = { [Name in keyof Page]-?: Page[Name] extends (infer Item)[] ? Item : never }[keyof Page]

/**
 * All entries of a list, page by page:
 * `for await (const voucher of listAll((page) => api.listVouchers({ status: ['valid'], ...page }))) …`
 */
export async function* listAll<Page extends { next_cursor: string | null }>(
  list: (page: { cursor?: string }) => Promise<Page>,
): AsyncGenerator<ItemOf<Page>> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page = await list(cursor === undefined ? {} : { cursor })
    yield* Object.values(page as object).find(Array.isArray) as ItemOf<Page>[]
    cursor = page.next_cursor
  }
}
