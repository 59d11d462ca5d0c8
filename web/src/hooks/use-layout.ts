import { useMediaQuery } from '@mantine/hooks'
import { createContext, useContext } from 'react'

export type Layout = 'phone' | 'rail' | 'full'

/** Set only where the build renders a page, because no screen has a width there. */
export const LayoutContext = createContext<Layout | undefined>(undefined)

/**
 * Phones have bars at the top and the bottom, medium screens have a rail of icons, wide screens have the whole navigation.
 */
export function useLayout(): Layout {
  const isPhone = useMediaQuery('(max-width: 760px)', undefined, { getInitialValueInEffect: false })
  const isRail = useMediaQuery('(max-width: 1120px)', undefined, { getInitialValueInEffect: false })
  const given = useContext(LayoutContext)
  if (given) return given
  if (isPhone) return 'phone'
  return isRail ? 'rail' : 'full'
}

/** Whether a table must leave out columns, beside the rail. */
export function useIsNarrow(): boolean {
  return useMediaQuery('(max-width: 980px)', undefined, { getInitialValueInEffect: false })
}
