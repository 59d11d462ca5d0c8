import { Anchor, Button, Progress, Skeleton, Text, VisuallyHidden } from '@mantine/core'
import { IconDownload, IconPlayerPlay, IconPlayerStop, IconRefresh } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { SlipVoucher } from '#slips/slip-facts.ts'
import type { Batch, BatchRow, GuestInfo, Site } from '../../../../../client/voucher-api.generated.ts'
import { useSeconds } from '../../../clock.ts'
import { ExportError } from '../../../components/export-error.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { clockWords, limitWords } from '../../../components/voucher/voucher-words.ts'
import { useDelayed } from '../../../hooks/use-delayed.ts'
import { PrintMenu } from '../../../print/print-menu.tsx'
import { batchQuery, changeBatch, exportBatch, isRunning, useBatchRows } from '../../../queries/batches.ts'
import { useReloadVouchers } from '../../../queries/vouchers.ts'
import { BatchRows } from './batch-rows.tsx'
import { commonReason, leftWords, mailStateOf, mailWords, type Observation, secondsLeft } from './batch-words.ts'
import classes from './many.module.css'

type Props = {
  id: string
  site: Site
  guestInfo: GuestInfo
  /** Rows of the form that are wrong, so they are in no batch yet. */
  wrongRows: number
  onNew: () => void
}

/** One batch: its progress while it runs, then its outcome, and the actions for rows that were not created. */
export function BatchPanel({ id, ...props }: Props) {
  const { t } = useTranslation()
  const { data: batch, error, refetch } = useQuery(batchQuery(id))
  const isLate = useDelayed(batch === undefined && error === null)
  if (batch) return <LoadedBatch batch={batch} {...props} />
  if (!error) return isLate ? <Skeleton h={120} /> : null
  return (
    <>
      <ErrorMessage error={error} onRetry={() => void refetch()} />
      <Anchor component="button" mt="md" ta="left" fz="sm" onClick={props.onNew}>
        {t('many.new-list')}
      </Anchor>
    </>
  )
}

type LoadedProps = Omit<Props, 'id'> & { batch: Batch }

function LoadedBatch({ batch, site, guestInfo, wrongRows, onNew }: LoadedProps) {
  const { t } = useTranslation()
  const { data: rows = [], error, refetch, isPlaceholderData } = useBatchRows(batch)
  const change = useMutation(changeBatch(batch.id))
  const reloadVouchers = useReloadVouchers()
  const isOver = !isRunning(batch)
  useEffect(() => {
    if (isOver) reloadVouchers()
  }, [isOver])
  const limits = limitWords(t, { ...batch, ends_at: null, revoked_at: null }, guestInfo.time_zone)
  const hasOwnLimits = rows.some((row) => isDifferent(row, batch))
  return (
    <div className={classes.batch}>
      <div className={classes.summary}>
        <Text fz={13.5} c="dimmed">
          {[batch.reference, hasOwnLimits ? t('many.own-limits') : t('many.each', { limits })]
            .filter(Boolean)
            .join(' · ')}
        </Text>
        <div className={classes.numbers}>
          <Text span className={classes.made}>
            {batch.made}
          </Text>
          <Text span fz={20} c="dimmed">
            {t(isOver ? 'many.of-created' : 'many.of', { count: batch.size })}
          </Text>
          {!isOver && batch.waiting > 0 && (
            <Button
              variant="default"
              ml="auto"
              leftSection={<IconPlayerStop size={16} aria-hidden />}
              loading={change.isPending}
              onClick={() => change.mutate('cancel')}
            >
              {t('many.stop')}
            </Button>
          )}
        </div>
        <Bar batch={batch} />
        {isOver ? (
          <Actions
            batch={batch}
            vouchers={isPlaceholderData ? [] : slipsOf(batch, rows)} // the rows of the last poll are incomplete
            site={site}
            guestInfo={guestInfo}
            isBusy={change.isPending}
            onRetry={() => change.mutate('retry')}
            onNew={onNew}
          />
        ) : (
          <ProgressWords batch={batch} timeZone={guestInfo.time_zone} onNew={onNew} />
        )}
        {change.error && <ErrorMessage error={change.error} />}
        {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      </div>
      {wrongRows > 0 && (
        <Text className={classes.note} data-tone="warn" fz={13.5}>
          {t('many.wrong-left', { count: wrongRows })}{' '}
          <Anchor component="button" inherit onClick={onNew}>
            {t('many.correct')}
          </Anchor>
        </Text>
      )}
      {isOver && !isPlaceholderData && <Remains batch={batch} rows={rows} />}
      {isOver && !isPlaceholderData && <Mails rows={rows} />}
      <BatchRows batch={batch} rows={rows} />
      <VisuallyHidden role="status" aria-live="polite">
        {isOver && t('many.announce-done', { made: batch.made, count: batch.size })}
        {!isOver && batch.held_up_since && t('many.announce-held-up')}
      </VisuallyHidden>
    </div>
  )
}

function Bar({ batch: { state, size, made, failed, held_up_since: heldUp } }: { batch: Batch }) {
  const { t } = useTranslation()
  const colour = state !== 'running' ? '--vs-ok' : heldUp ? '--vs-warn' : '--vs-accent'
  const percent = (count: number) => (count * 100) / size
  return (
    <Progress.Root size={8} radius="xl" mt={12} aria-label={t('many.progress')}>
      <Progress.Section value={percent(made)} color={`var(${colour})`} aria-label={t('many.progress')} />
      <Progress.Section value={percent(failed)} color="var(--vs-bad)" aria-hidden withAria={false} />
    </Progress.Root>
  )
}

type WordsProps = { batch: Batch; timeZone: string; onNew: () => void }

/** The line below the bar while the batch runs. */
function ProgressWords({ batch, timeZone, onNew }: WordsProps) {
  const { t } = useTranslation()
  const now = useSeconds(true)
  const first = useRef<Observation>(undefined)
  // The measurement starts again for a batch that was held up or resumed.
  if (!first.current || batch.held_up_since || batch.made < first.current.made)
    first.current = { made: batch.made, at: now }
  const seconds = secondsLeft(batch, first.current, now)
  const { held_up_until: until, held_up_since: since, under_way: underWay } = batch
  const isStopping = batch.cancelled > 0 && batch.waiting === 0
  const state = isStopping
    ? t('many.stopping')
    : since === null
      ? seconds !== null && leftWords(t, seconds)
      : underWay > 0
        ? t('many.settling')
        : until !== null && Date.parse(until) > now
          ? t('many.held-up', { time: clockWords(new Date(until), timeZone) })
          : t('many.held-up-again')
  return (
    <div className={classes.line}>
      <Text fz={13.5} c={since && !isStopping ? 'var(--vs-warn-text)' : 'dimmed'}>
        {[state, !isStopping && t('many.goes-on')].filter(Boolean).join(' ')}
      </Text>
      <Anchor component="button" className={classes.new ?? ''} fz="sm" onClick={onNew}>
        {t('many.new-list')}
      </Anchor>
    </div>
  )
}

type ActionProps = {
  batch: Batch
  vouchers: SlipVoucher[]
  site: Site
  guestInfo: GuestInfo
  isBusy: boolean
  onRetry: () => void
  onNew: () => void
}

function Actions({ batch, vouchers, site, guestInfo, isBusy, onRetry, onNew }: ActionProps) {
  const { t } = useTranslation()
  const { made, failed, cancelled } = batch
  const exporting = useMutation(exportBatch(batch.id))
  const Icon = cancelled > 0 ? IconPlayerPlay : IconRefresh
  return (
    <>
      <div className={classes.actions}>
        {vouchers.length > 0 && <PrintMenu vouchers={vouchers} site={site} guestInfo={guestInfo} />}
        {made > 0 && (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={exporting.isPending}
            onClick={() => exporting.mutate()}
          >
            {t('many.csv')}
          </Button>
        )}
        {failed + cancelled > 0 && (
          <Button
            variant={made > 0 ? 'default' : 'filled'}
            className={classes.retry ?? ''}
            leftSection={<Icon size={16} aria-hidden />}
            loading={isBusy}
            onClick={onRetry}
          >
            {cancelled > 0 ? t('many.resume') : t('many.retry', { count: failed })}
          </Button>
        )}
        <Anchor component="button" className={classes.new ?? ''} fz="sm" onClick={onNew}>
          {t('many.new-list')}
        </Anchor>
      </div>
      {exporting.error && <ExportError error={exporting.error} onRetry={() => exporting.mutate()} />}
    </>
  )
}

/** The rows that were not created, and why. */
function Remains({ batch: { made, failed, cancelled }, rows }: { batch: Batch; rows: BatchRow[] }) {
  const { t } = useTranslation()
  const reason = commonReason(rows)
  const isUncertain = rows.some(({ failure, outcome }) => outcome === 'failed' && failure === 'no_voucher')
  return (
    <>
      {cancelled > 0 && (
        <Text className={classes.note} data-tone="plain" fz={13.5}>
          {t('many.stopped', { made, rest: cancelled })}
        </Text>
      )}
      {failed > 0 && (
        <Text className={classes.note} data-tone="bad" fz={13.5}>
          <Text span inherit fw={600}>
            {t('many.not-made', { count: failed })}
          </Text>{' '}
          {reason && `${t(`many.why-${reason}`)} `}
          {t(isUncertain ? 'many.none-found-for-these' : 'many.no-voucher-for-these')}
        </Text>
      )}
    </>
  )
}

/** What became of the e-mails to the guests. */
function Mails({ rows }: { rows: BatchRow[] }) {
  const { t } = useTranslation()
  const words = mailWords(t, rows)
  if (words === null) return null
  const isCancelled = rows.some((row) => mailStateOf(row) === 'cancelled')
  const hasFailed = isCancelled || rows.some((row) => ['rejected', 'expired'].includes(mailStateOf(row) ?? ''))
  return (
    <Text className={classes.note} data-tone={hasFailed ? 'warn' : 'plain'} fz={13.5} role="status">
      {[words, isCancelled && t('many.mail-why-cancelled')].filter(Boolean).join(' ')}
    </Text>
  )
}

/** During an upgrade, older processes answer without the limits of the rows. */
function isDifferent(row: BatchRow, batch: Batch): boolean {
  const limits = ['max_uses', 'expire_minutes', 'valid_until'] as const
  return limits.some((limit) => row[limit] !== undefined && row[limit] !== batch[limit])
}

/** The created vouchers with their limits, in the order of the list. */
function slipsOf(batch: Batch, rows: BatchRow[]): SlipVoucher[] {
  return rows.flatMap(({ voucher_id: id, formatted_code: code, outcome, ...row }) =>
    outcome === 'made' && id !== null && code !== null ? [{ ...batch, ...row, id, formatted_code: code }] : [],
  )
}
