import { Loader, Text, UnstyledButton } from '@mantine/core'
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Batch, BatchRow } from '../../../../../client/voucher-api.generated.ts'
import { orValue } from '../../../newer-values.ts'
import { isRunning } from '../../../queries/batches.ts'
import { mailStateOf, newestFirst, reasonOf, withFailedFirst } from './batch-words.ts'
import classes from './many.module.css'

const shownWhileRunning = 7
/** More rows would make the page slow, and nobody reads them. */
const shownAtFirst = 100

/** The rows with their codes or reasons. While the batch runs, only the newest; afterwards all, failed ones first. */
export function BatchRows({ batch, rows }: { batch: Batch; rows: BatchRow[] }) {
  const { t } = useTranslation()
  const [isAll, setIsAll] = useState(false)
  const isOver = !isRunning(batch)
  const sorted = isOver ? withFailedFirst(rows) : newestFirst(rows, shownWhileRunning)
  const shown = isAll ? sorted : sorted.slice(0, shownAtFirst)
  const shownMade = shown.filter(({ outcome }) => outcome === 'made').length
  const rest = [
    batch.made > shownMade && t('many.more-made', { count: batch.made - shownMade }),
    batch.waiting > 0 && t('many.waiting', { count: batch.waiting }),
  ].filter(Boolean)
  return (
    <>
      {shown.length > 0 && (
        <ul className={classes.rows}>
          {shown.map((row) => (
            <Row key={row.number} row={row} hasReference={!!row.reference && row.reference !== batch.reference} />
          ))}
        </ul>
      )}
      {!isOver && rest.length > 0 && (
        <Text className={classes.rest} fz={13.5} c="dimmed">
          {rest.join(' · ')}
        </Text>
      )}
      {isOver && sorted.length > shown.length && (
        <UnstyledButton className={classes.rest} fz={13.5} c="var(--vs-accent-text)" onClick={() => setIsAll(true)}>
          {t('many.more-rows', { count: sorted.length })}
        </UnstyledButton>
      )}
    </>
  )
}

function Row({ row, hasReference }: { row: BatchRow; hasReference: boolean }) {
  const { t } = useTranslation()
  const { name, reference, outcome, formatted_code: code } = row
  const mail = mailStateOf(row)
  return (
    <li className={classes.row}>
      <span className={classes.mark}>
        <Mark outcome={outcome} />
      </span>
      <Text fw={500} className={classes.rowName} truncate title={name}>
        {name}
        {hasReference && (
          <Text span inherit fw={400} c="dimmed">
            {' · '}
            {reference}
          </Text>
        )}
      </Text>
      {mail !== null && mail !== 'accepted' && mail !== 'waiting' && outcome === 'made' && (
        <Text fz={13.5} c="var(--vs-warn-text)">
          {t(`many.row-mail-${mail}`)}
        </Text>
      )}
      {outcome === 'made' && <Text className="code">{code}</Text>}
      {outcome === 'failed' && (
        <Text fz={13.5} c="var(--vs-bad-text)">
          {t(`many.reason-${reasonOf(row)}`)}
        </Text>
      )}
      {outcome !== 'made' && outcome !== 'failed' && (
        <Text fz={13.5} c="dimmed">
          {t(`many.row-${outcome}`, orValue(outcome))}
        </Text>
      )}
    </li>
  )
}

function Mark({ outcome }: { outcome: BatchRow['outcome'] }) {
  if (outcome === 'made') return <IconCheck size={18} color="var(--vs-ok)" aria-hidden />
  if (outcome === 'failed') return <IconX size={18} color="var(--vs-bad)" aria-hidden />
  if (outcome === 'under_way') return <Loader size={16} aria-hidden />
  return <IconMinus size={18} color="var(--vs-soft)" aria-hidden />
}
