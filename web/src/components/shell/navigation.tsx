import { Avatar, Popover, Text, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconCirclePlus, IconDots } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { usePerson } from '../../session.tsx'
import classes from './app-shell.module.css'
import { PersonPanel } from './person-panel.tsx'
import { SitePicker } from './site-picker.tsx'

/** Entries of the navigation in their order. Add a new page here and in the router. */
export const entries = [{ to: '/desk', label: 'nav.desk', Icon: IconCirclePlus }] as const

/** The navigation at the left: 248 px, or a rail of 64 px with tooltips instead of words. */
export function Navigation({ isRail }: { isRail: boolean }) {
  const { t } = useTranslation()
  return (
    <nav className={classes.nav} data-rail={isRail || undefined} aria-label={t('nav.label')}>
      <SitePicker isSmall={isRail} />
      <div className={classes.entries}>
        {entries.map(({ to, label, Icon }) => (
          <Tooltip key={to} label={t(label)} position="right" disabled={!isRail}>
            <Link to={to} className={classes.entry} aria-label={t(label)}>
              <Icon size={18} stroke={1.7} aria-hidden />
              {!isRail && t(label)}
            </Link>
          </Tooltip>
        ))}
      </div>
      <PersonButton isRail={isRail} />
    </nav>
  )
}

function PersonButton({ isRail }: { isRail: boolean }) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const person = usePerson()
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="right-end" width={264} shadow="md" radius="lg" trapFocus>
      <Popover.Target>
        <UnstyledButton className={classes.wide} onClick={() => setIsOpen(!isOpen)}>
          <PersonAvatar name={person.name} />
          {!isRail && (
            <>
              <span style={{ flex: 1, minWidth: 0 }}>
                <Text truncate fz={13.5} fw={500} lh="18px">
                  {person.name}
                </Text>
                <Text fz={12} lh="16px" c="dimmed">
                  {t(`roles.${person.role}`)}
                </Text>
              </span>
              <IconDots size={16} color="var(--mantine-color-dimmed)" aria-hidden />
            </>
          )}
          <VisuallyHidden>{isRail ? `${person.name}, ${t('nav.person')}` : `, ${t('nav.person')}`}</VisuallyHidden>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <PersonPanel onLeave={() => setIsOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}

function PersonAvatar({ name }: { name: string }) {
  const words = name.split(/\s+/).filter((word) => word !== '')
  const initials = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => word?.[0] ?? '').join('')
  return (
    <Avatar
      aria-hidden
      size={28}
      styles={{ placeholder: { background: 'var(--vs-avatar)', color: 'var(--vs-accent-text)' } }}
    >
      {initials.toUpperCase()}
    </Avatar>
  )
}
