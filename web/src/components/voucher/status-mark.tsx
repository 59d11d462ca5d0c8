import { IconBan, IconCircle, IconCircleFilled, IconCircleHalf2, IconPointFilled } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Voucher } from '../../../../client/voucher-api.generated.ts'
import { entryFor, orValue } from '../../newer-values.ts'

type Status = Voucher['status']

const shapes = {
  valid: { Icon: IconCircleFilled, color: 'var(--vs-ok)' },
  used: { Icon: IconCircleHalf2, color: 'var(--vs-accent)' },
  expired: { Icon: IconCircle, color: 'var(--vs-soft)' },
  revoked: { Icon: IconBan, color: 'var(--vs-bad)' },
}

/** A shape for each status, because colour alone is not accessible to everybody. */
export function StatusMark({ status, size = 11 }: { status: Status; size?: number }) {
  const { t } = useTranslation()
  const { Icon, color } = entryFor(shapes, status, { Icon: IconPointFilled, color: 'var(--vs-soft)' })
  return (
    <Icon size={size} color={color} stroke={2.4} role="img" aria-label={t(`desk.status-${status}`, orValue(status))} />
  )
}

/** The shape with its word. */
export function StatusWords({ status }: { status: Status }) {
  const { t } = useTranslation()
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      <span aria-hidden style={{ marginRight: 6 }}>
        <StatusMark status={status} />
      </span>
      {t(`desk.status-${status}`, orValue(status))}
    </span>
  )
}
