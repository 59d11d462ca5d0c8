import type { MutationFunctionContext, QueryClient, QueryKey } from '@tanstack/react-query'

/**
 * The part of a mutation that loads everything under these keys again, even after a failure: the answer may be lost although the
 * change was made. `onSuccess` of the page runs before it.
 */
export function reloads(...keys: QueryKey[]) {
  return {
    onSettled: (
      _data: unknown,
      _error: Error | null,
      _input: unknown,
      _before: unknown,
      { client }: MutationFunctionContext,
    ) => reload(client, ...keys),
  }
}

/** Loads everything under these keys again. */
export async function reload(queries: QueryClient, ...keys: QueryKey[]): Promise<void> {
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })))
}
