import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useLayout } from '../../hooks/use-layout.ts'
import { useMustSetUp } from '../../session.tsx'
import { openSearch, openShortcuts, useShortcuts } from '../../shortcuts.ts'
import { SecondStep } from '../../two-steps.tsx'
import classes from './app-shell.module.css'
import { FirstBar } from './first-bar.tsx'
import { HoldBanner } from './hold-banner.tsx'
import { Navigation } from './navigation.tsx'
import { PhoneTabs, PhoneTop } from './phone-bars.tsx'
import { ShortcutsDialog } from './shortcuts-dialog.tsx'

/** The frame of every page for people who are signed in. */
export function AppShell({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const layout = useLayout()
  const mustSetUp = useMustSetUp()
  // Here and not beside the dialogs, because these come with the second step, and somebody may press the keys before.
  useShortcuts([
    { hotkey: 'mod+K', shown: [t('search.key')], label: t('search.label'), run: openSearch, whileTyping: true },
    { hotkey: 'shift+?', shown: ['?'], label: t('shortcuts.this-list'), run: openShortcuts },
  ])
  return (
    <div className={classes.shell} data-layout={layout}>
      <a className={classes.skip} href="#main">
        {t('shell.skip')}
      </a>
      <SecondStep first={<FirstBar place="before" />}>
        {layout === 'phone' ? <PhoneTop /> : <Navigation isRail={layout === 'rail'} />}
      </SecondStep>
      <main id="main" tabIndex={-1} className={classes.main}>
        <SecondStep>{!mustSetUp && <HoldBanner />}</SecondStep>
        {children}
      </main>
      <SecondStep first={<FirstBar place="after" />}>
        {layout === 'phone' && <PhoneTabs />}
        <ShortcutsDialog />
      </SecondStep>
    </div>
  )
}
