import { Drawer, UnstyledButton } from '@mantine/core'
import { IconMenu2 } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './app-shell.module.css'
import { entries } from './navigation.tsx'
import { PersonPanel } from './person-panel.tsx'
import { SitePicker } from './site-picker.tsx'

export function PhoneTop() {
  return (
    <header className={classes.top}>
      <SitePicker />
    </header>
  )
}

/** The tabs at the bottom of a phone. *More* opens what is at the foot of the navigation on wide screens. */
export function PhoneTabs() {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <nav className={classes.tabs} aria-label={t('nav.label')}>
        {entries.map(({ to, label, Icon }) => (
          <Link key={to} to={to} className={classes.tab}>
            <Icon size={20} stroke={1.7} aria-hidden />
            {t(label)}
          </Link>
        ))}
        <UnstyledButton className={classes.tab} onClick={() => setIsOpen(true)}>
          <IconMenu2 size={20} stroke={1.7} aria-hidden />
          {t('nav.more')}
        </UnstyledButton>
      </nav>
      <Drawer
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        title={t('nav.more')}
        position="bottom"
        size="auto"
        closeButtonProps={{ 'aria-label': t('actions.close') }}
      >
        <PersonPanel isPhone onLeave={() => setIsOpen(false)} />
      </Drawer>
    </>
  )
}
