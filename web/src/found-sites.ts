import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { Site } from '../../client/voucher-api.generated.ts'
import { foundSitesQuery } from './queries/found-sites.ts'
import { sitesQuery } from './queries/sites.ts'

/** The most sites that a list for a choice shows. */
export const shownAtMost = 100
/** The most that the service is asked for with one search. */
export const searchedAtMost = 50

type Wanted = {
  /** Whether inactive sites can be chosen, too. */
  withInactive?: boolean
  /** False while nobody sees the list. */
  isShown?: boolean
}

export type FoundSites = {
  /** At most `searchedAtMost`, if the service searches. */
  found: Site[]
  /** Whether there are more than `found`, so that people must type more. */
  hasMore: boolean
  /** Whether the service searches, because there are too many sites for the browser. */
  isRemote: boolean
  isLoading: boolean
}

/** The sites whose name contains the text, for every list in which somebody chooses sites. */
export function useFoundSites(text: string, { withInactive = false, isShown = true }: Wanted = {}): FoundSites {
  const { data } = useQuery(sitesQuery)
  const words = text.trim()
  const [settled] = useDebouncedValue(words, 150)
  const isRemote = data?.summary !== undefined
  const search = {
    ...(settled !== '' && { name: settled.slice(0, 255) }),
    ...(!withInactive && { active: true }),
    limit: searchedAtMost,
  }
  const remote = useQuery({ ...foundSitesQuery(search), enabled: isRemote && isShown })
  if (isRemote)
    return {
      found: remote.data?.sites ?? [],
      hasMore: Boolean(remote.data?.next_cursor),
      isRemote,
      isLoading: settled !== words || remote.isPlaceholderData || (remote.isFetching && !remote.data),
    }
  const found = (data?.sites ?? []).filter(
    ({ name, active }) => (active || withInactive) && name.toLowerCase().includes(words.toLowerCase()),
  )
  return { found, hasMore: false, isRemote, isLoading: false }
}
