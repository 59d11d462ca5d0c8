import { Drawer, UnstyledButton } from '@mantine/core'
import { IconMenu2 } from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMustSetUp } from '../../session.tsx'
import classes from './app-shell.module.css'
import { FailureCount, useEntries } from './navigation.tsx'
import { PersonPanel } from './person-panel.tsx'
import { Search } from './search.tsx'
import { SitePicker } from './site-picker.tsx'

export function PhoneTop() {
  if (useMustSetUp()) return null
  return (
    <header className={classes.top}>
      <SitePicker />
      <Search isSmall />
    </header>
  )
}

/** The number of pages that have a tab. The others are in *More*. */
const mostTabs = 4

/** The tabs at the bottom of a phone. *More* opens the other pages and what is at the foot of the navigation on wide screens. */
export function PhoneTabs() {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const entries = useEntries()
  const inMore = entries.slice(mostTabs)
  const failingInMore = inMore.reduce((sum, { failing }) => sum + failing, 0)
  const close = () => setIsOpen(false)
  const path = useLocation().pathname
  const isInMore = !entries.slice(0, mostTabs).some(({ to }) => `${path}/`.startsWith(`${to}/`))
  return (
    <>
      <nav className={classes.tabs} aria-label={t('nav.label')}>
        {entries.slice(0, mostTabs).map(({ to, label, Icon, failing }) => (
          <Link key={to} to={to} className={classes.tab}>
            <Icon size={20} stroke={1.7} aria-hidden />
            {t(label)}
            <FailureCount count={failing} isDot />
          </Link>
        ))}
        <UnstyledButton
          className={classes.tab}
          data-status={isInMore ? 'active' : undefined}
          onClick={() => setIsOpen(true)}
        >
          <IconMenu2 size={20} stroke={1.7} aria-hidden />
          {t('nav.more')}
          <FailureCount count={failingInMore} isDot />
        </UnstyledButton>
      </nav>
      <Drawer
        opened={isOpen}
        onClose={close}
        title={t('nav.more')}
        position="bottom"
        size="auto"
        closeButtonProps={{ 'aria-label': t('actions.close') }}
      >
        {inMore.length > 0 && (
          <nav className={classes.more} aria-label={t('nav.more')}>
            {inMore.map(({ to, label, Icon, failing }) => (
              <Link key={to} to={to} className={classes.entry} onClick={close}>
                <Icon size={18} stroke={1.7} aria-hidden />
                {t(label)}
                <FailureCount count={failing} />
              </Link>
            ))}
          </nav>
        )}
        <PersonPanel isPhone onLeave={close} />
      </Drawer>
    </>
  )
}
