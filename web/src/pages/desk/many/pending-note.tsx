import { IconHourglassHigh, IconPlugConnectedX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useSeconds } from '../../../clock.ts'
import { Notice } from '../../../components/notice.tsx'
import { RequestId } from '../../../components/state-pages.tsx'
import type { PendingBatch } from './batch-store.ts'

export function hasNote(pending: PendingBatch | null): boolean {
  const kind = pending?.status.kind
  return kind === 'lost' || kind === 'limited' || kind === 'rejected'
}

/** Says why a requested batch does not exist yet, or that it was rejected. */
export function PendingNote({ pending }: { pending: PendingBatch | null }) {
  const { t } = useTranslation()
  const status = pending?.status
  const now = useSeconds(status?.kind === 'limited')
  if (status?.kind !== 'lost' && status?.kind !== 'limited' && status?.kind !== 'rejected') return null
  const isRejected = status.kind === 'rejected'
  const Icon = isRejected ? IconPlugConnectedX : IconHourglassHigh
  const reason = status.kind === 'lost' ? status.reason : undefined
  const lost = t(reason ? 'many.unavailable' : 'many.lost')
  const title = { lost, limited: t('desk.limited'), rejected: t('many.rejected') }[status.kind]
  return (
    <div style={{ marginTop: 24 }}>
      <Notice tone={isRejected ? 'bad' : 'warn'} role="alert" title={title} Icon={Icon}>
        {reason && `${reason} `}
        {status.kind === 'lost' && t('many.lost-text')}
        {status.kind === 'limited' &&
          t('many.limited-text', { seconds: Math.max(0, Math.ceil((status.until - now) / 1000)) })}
        {status.kind === 'rejected' && `${status.message} ${t('desk.kept')}`}
        {status.kind === 'rejected' && <RequestId id={status.requestId} />}
      </Notice>
    </div>
  )
}
