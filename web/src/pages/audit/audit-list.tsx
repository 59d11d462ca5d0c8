import { Anchor, Collapse, Group, Skeleton, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconChevronDown, IconChevronRight, IconKey, IconServer, IconTerminal2 } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { Fragment, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AuditEntry } from '../../../../client/voucher-api.generated.ts'
import { PersonAvatar } from '../../components/shell/navigation.tsx'
import { clock, formatTime, fullTime } from '../../formats.ts'
import { useDelayed } from '../../hooks/use-delayed.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { currentLanguage } from '../../i18n/i18n.ts'
import { entryFor, orValue } from '../../newer-values.ts'
import classes from './audit.module.css'
import type { AuditSearch } from './audit-search.ts'
import {
  actorName,
  byDay,
  type Difference,
  dayWords,
  differencesOf,
  makersOf,
  sentenceOf,
  targetName,
  valueWords,
} from './audit-words.ts'

type Props = {
  /** Undefined while they are loaded for the first time. */
  entries: AuditEntry[] | undefined
  empty: ReactNode
  foot: ReactNode
  timeZone: string
  onFilter: (change: AuditSearch) => void
}

/** The entries as sentences, grouped by day. Opening a row shows the difference. */
export function AuditList({ entries, empty, foot, timeZone, onFilter }: Props) {
  const { t } = useTranslation()
  const isLate = useDelayed(entries === undefined)
  if (entries === undefined)
    return (
      <div className={classes.frame} aria-busy>
        {isLate && Array.from({ length: 8 }, (_, row) => <Skeleton key={row} h={22} my={12} mx={20} w="auto" />)}
      </div>
    )
  return (
    <section className={classes.frame} aria-label={t('audit.label')}>
      {entries.length === 0 && empty}
      {byDay(entries, timeZone).map(({ day, entries: ofDay }) => (
        <Fragment key={day}>
          <h2 className={classes.day}>{dayWords(t, day, { language: currentLanguage(), timeZone })}</h2>
          <ul className={classes.rows}>
            {ofDay.map((entry) => (
              <Entry key={entry.id} entry={entry} timeZone={timeZone} onFilter={onFilter} />
            ))}
          </ul>
        </Fragment>
      ))}
      {foot}
    </section>
  )
}

type EntryProps = { entry: AuditEntry; timeZone: string; onFilter: Props['onFilter'] }

function Entry({ entry, timeZone, onFilter }: EntryProps) {
  const { t, i18n } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const isPhone = useLayout() === 'phone'
  const [before, target, after] = sentenceOf(t, (key) => i18n.exists(key), entry)
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  return (
    <li>
      <UnstyledButton className={classes.row} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <time className={classes.time} dateTime={entry.at}>
          {formatTime(entry.at, { timeZone, ...clock })}
        </time>
        <ActorMark entry={entry} />
        <span className={classes.sentence}>
          <strong>{actorName(t, entry)}</strong> {before}
          {target && <strong>{target}</strong>}
          {after}
        </span>
        {!isPhone && <span className={classes.address}>{addressWords(t, entry)}</span>}
        <Chevron size={16} color="var(--vs-soft)" aria-hidden style={{ flex: 'none' }} />
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        {isOpen && <Details entry={entry} timeZone={timeZone} onFilter={onFilter} />}
      </Collapse>
    </li>
  )
}

function Details({ entry, timeZone, onFilter }: EntryProps) {
  const { t } = useTranslation()
  const differences = differencesOf(entry)
  const { actor, target } = entry
  const actorId = actor.id
  return (
    <div className={classes.details}>
      {differences.length === 0 ? (
        <Text fz={13} c="dimmed">
          {t('audit.no-details')}
        </Text>
      ) : (
        <table className={classes.differences}>
          <thead>
            <tr>
              {(['field', 'before', 'after'] as const).map((name) => (
                <th key={name} scope="col">
                  <VisuallyHidden>{t(`audit.${name}`)}</VisuallyHidden>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {differences.map((difference) => (
              <DifferenceRow key={difference.field} difference={difference} />
            ))}
          </tbody>
        </table>
      )}
      <Text fz={13} c="dimmed" mt={8}>
        {formatTime(entry.at, { timeZone, ...fullTime })} · {t('audit.address')}: {addressWords(t, entry)} ·{' '}
        <span className="code">{entry.action}</span>
      </Text>
      <Group gap="md" mt={4}>
        {actorId !== null && (
          <Anchor component="button" fz={13} onClick={() => onFilter({ actor: actorId })}>
            {t('audit.only-actor', { name: actorName(t, entry) })}
          </Anchor>
        )}
        {makersOf(entry).map(({ id, name }) => (
          <Anchor key={id} fz={13} renderRoot={(props) => <Link to="/vouchers" search={{ by: id }} {...props} />}>
            {t('audit.vouchers-by', { name })}
          </Anchor>
        ))}
        {target.id !== actorId && (
          <Anchor component="button" fz={13} onClick={() => onFilter({ target: `${target.kind}:${target.id}` })}>
            {t('audit.only-target', { name: targetName(entry) })}
          </Anchor>
        )}
      </Group>
    </div>
  )
}

/** For a secret, the row only says that it was changed. */
function DifferenceRow({ difference }: { difference: Difference }) {
  const { t } = useTranslation()
  const { field, secret } = difference
  if (secret)
    return (
      <tr>
        <th scope="row">{field}</th>
        <td aria-label={t('audit.hidden')}>{'••••••'}</td>
        <td>{t(`audit.secret-${secret}`)}</td>
      </tr>
    )
  const hasBefore = 'before' in difference
  return (
    <tr>
      <th scope="row">{field}</th>
      <td>{hasBefore && <del>{valueWords(t, difference.before)}</del>}</td>
      <td>{hasBefore ? <ins>{valueWords(t, difference.after)}</ins> : valueWords(t, difference.after)}</td>
    </tr>
  )
}

const icons = { key: IconKey, service: IconServer, command: IconTerminal2 }

/** The initials of a person, or an icon for a key, the service or the command line. */
export function ActorMark({ entry: { actor } }: { entry: Pick<AuditEntry, 'actor'> }) {
  const { t } = useTranslation()
  if (actor.kind === 'staff') return <PersonAvatar name={actor.name} />
  const Icon = entryFor(icons, actor.kind, IconServer)
  return (
    <span className={classes.mark} role="img" aria-label={t(`audit.who-${actor.kind}`, orValue(actor.kind))}>
      <Icon size={15} stroke={1.7} aria-hidden />
    </span>
  )
}

function addressWords(t: TFunction, { actor, address }: AuditEntry): string {
  return address ?? (actor.kind === 'command' ? t('audit.command-line') : '–')
}
