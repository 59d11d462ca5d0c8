import { useMediaQuery } from '@mantine/hooks'

type Layout = 'phone' | 'rail' | 'full'

/**
 * Phones have bars at the top and the bottom, medium screens have a rail of icons, wide screens have the whole navigation.
 */
export function useLayout(): Layout {
  const isPhone = useMediaQuery('(max-width: 760px)', undefined, { getInitialValueInEffect: false })
  const isRail = useMediaQuery('(max-width: 1120px)', undefined, { getInitialValueInEffect: false })
  if (isPhone) return 'phone'
  return isRail ? 'rail' : 'full'
}
