import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useLayout } from '../../hooks/use-layout.ts'
import classes from './app-shell.module.css'
import { HoldBanner } from './hold-banner.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import { Navigation } from './navigation.tsx'
import { PhoneTabs, PhoneTop } from './phone-bars.tsx'

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
        <HoldBanner />
        {children}
      </main>
      {layout === 'phone' && <PhoneTabs />}
      <KeysDialog />
    </div>
  )
}
