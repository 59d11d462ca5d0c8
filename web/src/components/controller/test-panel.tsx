import { Anchor, Loader, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconMinus, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { addTexts } from '../../i18n/i18n.ts'
import { entryFor } from '../../newer-values.ts'
import { Panel } from '../panel.tsx'
import { ErrorMessage } from '../state-pages.tsx'
import classes from './connection-test.module.css'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

addTexts({ de, en })

type PanelProps = {
  title: string
  /** Beside the link that starts the test again. */
  note?: ReactNode
  isRunning: boolean
  /** Whether there is a result or an error. */
  hasRun: boolean
  /** Why the service could not test at all. */
  error: unknown
  /** Starts the test again. Without it there is no link for that. */
  onRun?: (() => void) | undefined
  summary: ReactNode
  children: ReactNode
}

/** A test that the service made, with a line for each of its steps. */
export function TestPanel({ title, note, isRunning, hasRun, error, onRun, summary, children }: PanelProps) {
  const { t } = useTranslation()
  const actions = (
    <>
      {note}
      {onRun && !isRunning && hasRun && (
        <Anchor component="button" type="button" fz={13.5} fw={500} onClick={onRun}>
          {t('connection-test.run-again')}
        </Anchor>
      )}
    </>
  )
  return (
    <Panel title={title} actions={actions}>
      {error ? <ErrorMessage error={error} /> : null}
      <ol className={classes.lines} aria-busy={isRunning}>
        {children}
      </ol>
      <Text fz={13} c="dimmed" role="status">
        {summary}
      </Text>
    </Panel>
  )
}

type LineProps = {
  name: string
  title: string
  result: string
  /** A failure for which a person only has to decide something. */
  isDecision?: boolean
  isCurrent: boolean
  durationMs: number | null | undefined
  /** The result of the step, e.g. the version of the controller. */
  details?: ReactNode
  remedy: ReactNode
}

export function TestLine({ name, title, result, isDecision, isCurrent, durationMs, details, remedy }: LineProps) {
  const { t } = useTranslation()
  return (
    <li className={classes.line} data-layer={name} data-result={result}>
      <Mark result={isDecision ? 'warning' : result} isCurrent={isCurrent} />
      <span className={classes.title}>{title}</span>
      <span className={classes.time}>
        {durationMs ? t('connection-test.milliseconds', { count: durationMs }) : null}
      </span>
      {details}
      {remedy && <div className={classes.remedy}>{remedy}</div>}
    </li>
  )
}

function Mark({ result, isCurrent }: { result: string; isCurrent: boolean }) {
  const { t } = useTranslation()
  if (isCurrent)
    return (
      <span className={classes.mark} data-tone="none">
        <Loader size={14} aria-label={t('connection-test.running')} />
      </span>
    )
  const marks = {
    ok: { tone: 'ok', Icon: IconCheck, label: t('connection-test.ok') },
    warning: { tone: 'warn', Icon: IconAlertTriangle, label: t('connection-test.warning') },
    failed: { tone: 'bad', Icon: IconX, label: t('connection-test.failed') },
    skipped: { tone: 'none', Icon: IconMinus, label: t('connection-test.skipped') },
  }
  const { tone, Icon, label } = entryFor(marks, result, marks.skipped)
  return (
    <span className={classes.mark} data-tone={tone}>
      <Icon size={18} role="img" aria-label={label} />
    </span>
  )
}
