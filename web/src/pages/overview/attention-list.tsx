import { Paper, Text } from '@mantine/core'
import { IconCheck, IconChevronRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { browserZone } from '../../formats.ts'
import { usePerson } from '../../session.tsx'
import { type AttentionLine, attentionLines } from './attention-lines.ts'
import classes from './overview.module.css'
import { type Overview, useFormats } from './overview-data.ts'

/** The problems that need attention: one line each, with a link to the page that helps. Otherwise one green line. */
export function AttentionList({ overview }: { overview: Overview }) {
  const { t } = useTranslation()
  const formats = useFormats(browserZone()) // as on the pages behind the links
  const lines = attentionLines({ t, formats, isAdmin: usePerson().role === 'admin' }, overview.attention)
  if (lines.length === 0) return <AllWell overview={overview} />
  return (
    <Paper component="section" withBorder radius="lg" bg="var(--vs-panel)" aria-label={t('overview.attention')}>
      <ul className={classes.lines}>
        {lines.map((line) => (
          <li key={line.key}>
            {line.link ? (
              <Link {...line.link} className={classes.line}>
                <LineContent line={line} />
              </Link>
            ) : (
              <div className={classes.line}>
                <LineContent line={line} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </Paper>
  )
}

function LineContent({ line: { tone, Icon, title, detail, action } }: { line: AttentionLine }) {
  return (
    <>
      <Icon size={18} stroke={1.7} color={`var(--vs-${tone}-text)`} aria-hidden />
      <span className={classes.words}>
        <Text span fw={500}>
          {title}
        </Text>{' '}
        <Text span c="dimmed" fz={13.5}>
          {detail}
        </Text>
      </span>
      {action && (
        <span className={classes.action}>
          <span>{action}</span>
          <IconChevronRight size={16} aria-hidden />
        </span>
      )}
    </>
  )
}

function AllWell({ overview }: { overview: Overview }) {
  const { t } = useTranslation()
  const formats = useFormats(overview.time_zone)
  const since = overview.site?.controller.reachable_since
  const duration = since && formats.duration((Date.now() - new Date(since).getTime()) / 1000)
  return (
    <Paper component="section" withBorder radius="lg" className={classes.well} aria-label={t('overview.attention')}>
      <IconCheck size={18} color="var(--vs-ok-text)" aria-hidden />
      <span>
        <Text span fw={600}>
          {t('overview.all-well')}
        </Text>{' '}
        <Text span c="dimmed">
          {duration ? t('overview.all-well-site', { duration }) : t('overview.all-well-sites')}
        </Text>
      </span>
    </Paper>
  )
}
