import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './app-shell.module.css'
import { KeysDialog } from './keys-dialog.tsx'
import { Navigation } from './navigation.tsx'
import { PhoneTabs, PhoneTop } from './phone-bars.tsx'

export type Layout = 'phone' | 'rail' | 'full'

/**
 * Phones have bars at the top and the bottom, medium screens have a rail of icons, wide screens have the whole navigation.
 */
export function useLayout(): Layout {
  const isPhone = useMediaQuery('(max-width: 760px)', undefined, { getInitialValueInEffect: false })
  const isRail = useMediaQuery('(max-width: 1120px)', undefined, { getInitialValueInEffect: false })
  if (isPhone) return 'phone'
  return isRail ? 'rail' : 'full'
}

/** The frame of every page for people who are signed in. */
export function AppShell({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const layout = useLayout()
  return (
    <div className={classes.shell} data-layout={layout}>
      <a className={classes.skip} href="#main">
        {t('shell.skip')}
      </a>
      {layout === 'phone' ? <PhoneTop /> : <Navigation isRail={layout === 'rail'} />}
      <main id="main" tabIndex={-1} className={classes.main}>
        {children}
      </main>
      {layout === 'phone' && <PhoneTabs />}
      <KeysDialog />
    </div>
  )
}
