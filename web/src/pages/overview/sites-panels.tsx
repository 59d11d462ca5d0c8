import { Anchor, Text, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../components/panel.tsx'
import { StateDot } from '../../components/state-dot.tsx'
import { orValue } from '../../newer-values.ts'
import { toneOf, useKnownSites } from '../../sites.ts'
import classes from './overview.module.css'
import { type Overview, useFormats } from './overview-data.ts'

type Sites = NonNullable<Overview['sites']>
type Props = { overview: Overview; sites: Sites }
type State = Sites['wall'][number]['state']

/** The number of sites up to which there is room for their names. */
const namedSites = 12

/** The largest number of sites in the ranking by vouchers. */
const mostRanked = 7

/** The sites with the most vouchers. The rest is added up, so that the sum is that of the chart. */
export function BusiestPanel({ overview, sites: { count, busiest, others, wall } }: Props) {
  const { t } = useTranslation()
  const { number } = useFormats(overview.time_zone)
  const most = Math.max(1, ...busiest.map(({ issued }) => issued))
  const isBusy = (id: number) => busiest.some(({ site_id }) => site_id === id)
  const unused =
    count <= mostRanked ? wall.filter(({ site_id }) => !isBusy(site_id)).map((site) => ({ ...site, issued: 0 })) : []
  const all = (
    <Anchor fz={13} renderRoot={(props) => <Link to="/sites" {...props} />}>
      {t('overview.all-sites', { count, number: number(count) })}
    </Anchor>
  )
  return (
    <Panel title={t('overview.by-vouchers')} actions={all}>
      {busiest.length === 0 ? (
        <Text c="dimmed" fz={13.5}>
          {t('overview.no-vouchers')}
        </Text>
      ) : (
        <ul className={classes.ranks}>
          {[...busiest, ...unused].map(({ site_id, site, issued }) => (
            <li key={site_id}>
              <Link
                from="/overview"
                to="/overview"
                search={(old) => ({ ...old, site: site_id })}
                className={classes.name}
                title={site}
              >
                {site}
              </Link>
              <Meter share={issued / most} />
              <span className={classes.amount}>{number(issued)}</span>
            </li>
          ))}
          {count > mostRanked && others.issued > 0 && (
            <li className={classes.rest}>
              <span>{t('overview.other-sites', { count: others.count, number: number(others.count) })}</span>
              <span className={classes.amount}>{number(others.issued)}</span>
            </li>
          )}
        </ul>
      )}
    </Panel>
  )
}

export function Meter({ share }: { share: number }) {
  return (
    <span className={classes.meter} aria-hidden>
      {share > 0 && <span style={{ width: `${Math.max(1, 100 * share)}%` }} />}
    </span>
  )
}

const states: State[] = ['reachable', 'unreachable', 'sign_in_refused', 'certificate', 'failing', 'unknown', 'inactive']

const sumOf = (counted: { count: number }[]) => counted.reduce((sum, { count }) => sum + count, 0)

/** A state of a newer service is counted as unknown. */
function knownState(state: State): State {
  return states.find((known) => known === state) ?? 'unknown'
}

/** Which sites reach their controller: a square for each site by number, or a list of names if there are few. */
export function WallPanel({ overview, sites }: Props) {
  const { t } = useTranslation()
  const { number, duration } = useFormats(overview.time_zone)
  const { wall } = sites
  const { summary } = useKnownSites()
  const stateCounts = wall.length > 0 ? wall.map(({ state }) => ({ state, count: 1 })) : (summary?.states ?? [])
  const longest = overview.attention.controllers.find(({ problem, since }) => problem === 'unreachable' && since)
  const outage = longest?.since && duration((Date.now() - new Date(longest.since).getTime()) / 1000)
  const all = (
    <Anchor fz={13} renderRoot={(props) => <Link to="/sites" {...props} />}>
      {t('overview.to-all-sites')}
    </Anchor>
  )
  return (
    <Panel title={t('overview.reachability')} actions={all}>
      {wall.length === 0 ? (
        <Text c="dimmed" fz={13.5}>
          {t('overview.wall-too-long', { count: sites.count, number: number(sites.count) })}
        </Text>
      ) : wall.length <= namedSites ? (
        <NamedSites wall={wall} />
      ) : (
        <Wall wall={wall} />
      )}
      <ul className={classes.states}>
        {states
          .map((state) => ({ state, count: sumOf(stateCounts.filter((one) => knownState(one.state) === state)) }))
          .filter(({ count }) => count > 0)
          .map(({ state, count }) => (
            <li key={state}>
              <StateDot tone={toneOf(state)} />
              {t(`overview.count-${state}`, { count, number: number(count) })}
            </li>
          ))}
      </ul>
      {longest && outage && (
        <Text fz={13.5} c="dimmed" className={classes.foot}>
          {t('overview.longest-outage')}{' '}
          <Text span fz={13.5} c="var(--mantine-color-text)">
            {longest.name}
          </Text>
          {', '}
          {outage}
        </Text>
      )}
    </Panel>
  )
}

function Wall({ wall }: { wall: Sites['wall'] }) {
  const { t } = useTranslation()
  return (
    <ul className={classes.wall}>
      {wall.map(({ site_id, site, state }) => {
        const label = t('overview.site-state', {
          number: site_id,
          site,
          state: t(`overview.state-${state}`, orValue(state)),
        })
        return (
          <li key={site_id}>
            <Tooltip label={label}>
              <Link
                from="/overview"
                to="/overview"
                search={(old) => ({ ...old, site: site_id })}
                className={classes.square}
                data-tone={toneOf(state)}
                aria-label={label}
              />
            </Tooltip>
          </li>
        )
      })}
    </ul>
  )
}

function NamedSites({ wall }: { wall: Sites['wall'] }) {
  const { t } = useTranslation()
  return (
    <ul className={classes.ranks}>
      {wall.map(({ site_id, site, state }) => (
        <li key={site_id}>
          <Link
            from="/overview"
            to="/overview"
            search={(old) => ({ ...old, site: site_id })}
            className={classes.name}
            title={site}
          >
            {site}
          </Link>
          <span className={classes.state}>
            <StateDot tone={toneOf(state)} />
            {t(`overview.state-${state}`, orValue(state))}
          </span>
        </li>
      ))}
    </ul>
  )
}
