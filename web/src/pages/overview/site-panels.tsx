import { Text, Tooltip } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { Moment } from '../../components/moment.tsx'
import { Panel } from '../../components/panel.tsx'
import classes from './overview.module.css'
import { type Formats, type Overview, useFormats } from './overview-data.ts'
import { Meter } from './sites-panels.tsx'

type Site = NonNullable<Overview['site']>
type Props = { overview: Overview; site: Site }

/** Keys and people who created the vouchers of the site. The sum is that of the chart. */
export function MakersPanel({ overview, site: { makers, other_makers: others } }: Props) {
  const { t } = useTranslation()
  const { number } = useFormats(overview.time_zone)
  const most = Math.max(1, ...makers.map(({ issued }) => issued))
  return (
    <Panel title={t('overview.makers')}>
      {makers.length === 0 ? (
        <Text c="dimmed" fz={13.5}>
          {t('overview.no-vouchers')}
        </Text>
      ) : (
        <ul className={classes.makers}>
          {makers.map(({ kind, id, name, issued }) => (
            <li key={`${kind} ${id}`}>
              <span className={classes.maker}>
                <span>
                  {kind === 'controller' ? t('overview.on-controller') : (name ?? t('overview.unknown-maker'))}
                </span>
                <span className={classes.amount}>{number(issued)}</span>
              </span>
              <Meter share={issued / most} />
            </li>
          ))}
          {others.count > 0 && (
            <li className={classes.rest}>
              <span>{t('overview.other-makers', { count: others.count, number: number(others.count) })}</span>
              <span className={classes.amount}>{number(others.issued)}</span>
            </li>
          )}
        </ul>
      )}
    </Panel>
  )
}

const badFromSeconds = 3_600

type ControllerDay = Site['controller']['days'][number]

function toneOf({ unreachable_seconds: seconds }: ControllerDay): 'none' | 'ok' | 'warn' | 'bad' {
  if (seconds === null) return 'none'
  if (seconds === 0) return 'ok'
  return seconds < badFromSeconds ? 'warn' : 'bad'
}

/** The last 30 days of the site's controller: on which of them it could not be reached, and for how long. */
export function ControllerPanel({ overview, site: { controller } }: Props) {
  const { t } = useTranslation()
  const formats = useFormats(overview.time_zone)
  const { days, unreachable_seconds: lost, observed_seconds: observed, outages, synced_at } = controller
  const summary = outages === 0 ? t('overview.no-outage') : outageText(t, formats, outages, lost)
  const share = formats.percent(observed > 0 ? 1 - lost / observed : 1, 2)
  return (
    <Panel
      title={t('overview.controller')}
      actions={
        <Text fz={13} c="dimmed">
          {t('overview.days', { count: days.length })}
        </Text>
      }
    >
      <div>
        <div className={classes.strip} role="img" aria-label={`${share} · ${summary}`}>
          {days.map((day) => (
            <Tooltip key={day.day} label={describe(t, formats, day)}>
              <span data-tone={toneOf(day)} />
            </Tooltip>
          ))}
        </div>
        <div className={classes.ends}>
          <span>{formats.day(days[0]?.day ?? overview.today)}</span>
          <span>{t('overview.today')}</span>
        </div>
      </div>
      <dl className={classes.facts}>
        <dt>{t('overview.name')}</dt>
        <dd>{controller.name}</dd>
        <dt>{t('overview.reachable')}</dt>
        <dd>
          {share} · {summary}
        </dd>
        <dt>{t('overview.compared')}</dt>
        <dd>{synced_at ? <Moment at={synced_at} timeZone={overview.time_zone} /> : t('overview.not-compared')}</dd>
      </dl>
    </Panel>
  )
}

function outageText(t: TFunction, formats: Formats, count: number, seconds: number): string {
  return t('overview.outages', { count, duration: formats.duration(seconds) })
}

function describe(t: TFunction, formats: Formats, day: ControllerDay): string {
  const name = formats.day(day.day, { weekday: 'short', day: 'numeric', month: 'short' })
  if (day.unreachable_seconds === null) return t('overview.day-unknown', { day: name })
  if (day.unreachable_seconds === 0) return t('overview.day-reachable', { day: name })
  return t('overview.day-unreachable', { day: name, duration: formats.duration(day.unreachable_seconds) })
}
