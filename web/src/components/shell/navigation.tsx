import { Avatar, Popover, Text, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core'
import {
  IconBuilding,
  IconCirclePlus,
  IconDots,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconSettings,
  IconTicket,
  IconWebhook,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useHouse } from '../../house.ts'
import { orValue } from '../../newer-values.ts'
import { pollEvery } from '../../queries/polling.ts'
import { webhooksQuery } from '../../queries/webhooks.ts'
import { useMustSetUp, usePerson } from '../../session.tsx'
import { useSiteCounts } from '../../sites.ts'
import { fitWithin, HouseLogo } from '../logo.tsx'
import classes from './app-shell.module.css'
import { PersonPanel } from './person-panel.tsx'
import { Search } from './search.tsx'
import { SitePicker } from './site-picker.tsx'

/** Entries of the navigation in their order. Add a new page here and in the router. `startsGroup` leaves a gap before it. */
const entries = [
  { to: '/desk', label: 'nav.desk', Icon: IconCirclePlus, role: 'desk' },
  { to: '/vouchers', label: 'nav.vouchers', Icon: IconTicket, role: 'desk' },
  { to: '/overview', label: 'nav.overview', Icon: IconLayoutDashboard, role: 'manager', startsGroup: true },
  { to: '/sites', label: 'nav.sites', Icon: IconBuilding, role: 'manager' },
  { to: '/keys', label: 'nav.keys', Icon: IconKey, role: 'admin', startsGroup: true },
  { to: '/webhooks', label: 'nav.webhooks', Icon: IconWebhook, role: 'manager' },
  { to: '/audit', label: 'nav.audit', Icon: IconHistory, role: 'admin', startsGroup: true },
  { to: '/settings', label: 'nav.settings', Icon: IconSettings, role: 'manager' },
] as const

type Entry = (typeof entries)[number]

/** The pages that the person may open, with the number of failures of each. */
export function useEntries(): (Entry & { failing: number })[] {
  const { role } = usePerson()
  const isManager = role !== 'desk'
  const mustSetUp = useMustSetUp()
  const siteCounts = useSiteCounts()
  const { data: webhooks } = useQuery({
    ...webhooksQuery,
    enabled: isManager && !mustSetUp,
    refetchInterval: pollEvery(60_000),
  })
  if (mustSetUp) return []
  const failing = {
    '/sites': siteCounts?.failing ?? 0,
    '/webhooks': webhooks?.filter((one) => one.failing_since ?? one.disabled_at).length ?? 0,
  }
  return entries
    .filter((entry) => entry.role === 'desk' || entry.role === role || (isManager && entry.role === 'manager'))
    .map((entry) => ({ ...entry, failing: entry.to in failing ? failing[entry.to as keyof typeof failing] : 0 }))
}

/**
 * The navigation at the left: 248 px, or a rail of 64 px with tooltips instead of words. It has only the person while they must set up
 * a second factor.
 */
export function Navigation({ isRail }: { isRail: boolean }) {
  const { t } = useTranslation()
  return (
    <nav className={classes.nav} data-rail={isRail || undefined} aria-label={t('nav.label')}>
      {!isRail && <HouseLine />}
      {useMustSetUp() ? <div className={classes.entries} /> : <Pages isRail={isRail} />}
      <PersonButton isRail={isRail} />
    </nav>
  )
}

function Pages({ isRail }: { isRail: boolean }) {
  const { t } = useTranslation()
  return (
    <>
      <SitePicker isSmall={isRail} />
      <Search isSmall={isRail} />
      <div className={classes.entries}>
        {useEntries().map(({ to, label, Icon, failing, ...entry }) => (
          <Tooltip key={to} label={t(label)} position="right" disabled={!isRail}>
            <Link to={to} className={classes.entry} data-gap={'startsGroup' in entry || undefined}>
              <Icon size={18} stroke={1.7} aria-hidden />
              {isRail ? <VisuallyHidden>{t(label)}</VisuallyHidden> : t(label)}
              <FailureCount count={failing} isDot={isRail} />
            </Link>
          </Tooltip>
        ))}
      </div>
    </>
  )
}

/** The logo and the name of the house, if it has any. */
function HouseLine() {
  const { name, logo } = useHouse()
  if (!name && !logo) return null
  return (
    <div className={classes.house}>
      <HouseLogo style={fitWithin('100%', 48)} />
      {name && <span className={classes.name}>{name}</span>}
    </div>
  )
}

/** A red number, or a red dot where there is no room. Empty while nothing fails. */
export function FailureCount({ count, isDot = false }: { count: number; isDot?: boolean }) {
  const { t } = useTranslation()
  if (count === 0) return null
  return (
    <>
      <span aria-hidden className={isDot ? classes.dot : classes.count}>
        {isDot ? '' : count}
      </span>
      <VisuallyHidden>{`, ${t('nav.failing', { count })}`}</VisuallyHidden>
    </>
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
                  {t(`roles.${person.role}`, orValue(person.role))}
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

export function PersonAvatar({ name }: { name: string }) {
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
