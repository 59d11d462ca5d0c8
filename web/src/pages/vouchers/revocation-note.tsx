import { Anchor, CloseButton, Progress, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Revocation } from '../../../../client/voucher-api.generated.ts'
import { Notice } from '../../components/notice.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { failedVouchersQuery, revocationQuery, revokeVouchers } from '../../queries/vouchers.ts'
import classes from './vouchers.module.css'

/** A revocation that takes longer probably waits for a controller. */
const waitsAfterMs = 5_000

type Props = { id: string; onClose: () => void; onRetried: (revocationId: string) => void }

/** Progress and outcome of a revocation of several vouchers. It continues when the page is closed. */
export function RevocationNote({ id, onClose, onRetried }: Props) {
  const { t } = useTranslation()
  const { data, error, refetch } = useQuery(revocationQuery(id))
  if (error) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  if (!data) return null
  const hasFailed = data.failed + data.kept > 0
  const isWaiting = data.pending > 0 && Date.now() - Date.parse(data.created_at) > waitsAfterMs
  const tone = hasFailed ? 'bad' : isWaiting ? 'warn' : data.pending > 0 ? 'plain' : 'ok'
  return (
    <div className={classes.note}>
      <Notice
        tone={tone}
        role="status"
        title={titleOf(t, data)}
        action={data.pending === 0 && <CloseButton aria-label={t('actions.close')} onClick={onClose} />}
      >
        {data.pending > 0 && (
          <Progress
            my={8}
            size="sm"
            value={((data.total - data.pending) / Math.max(1, data.total)) * 100}
            aria-label={t('vouchers.revoking', { count: data.total })}
            {...(isWaiting && { color: 'yellow' })}
          />
        )}
        {isWaiting && <Text fz={13.5}>{t('vouchers.revoke-waits', { count: data.pending })}</Text>}
        {data.ended > 0 && <Text fz={13.5}>{t('vouchers.revoke-ended', { count: data.ended })}</Text>}
        {hasFailed && <Failed revocation={data} onRetried={onRetried} />}
      </Notice>
    </div>
  )
}

function titleOf(t: TFunction, { pending, total, revoked }: Revocation): string {
  if (pending > 0) return t('vouchers.revoking-progress', { done: total - pending, count: total })
  return revoked > 0 ? t('vouchers.revoked-count', { count: revoked }) : t('vouchers.revoked-none')
}

/** The vouchers that still work, with a button that tries again. */
function Failed({ revocation, onRetried }: { revocation: Revocation; onRetried: (revocationId: string) => void }) {
  const { t } = useTranslation()
  const { data: vouchers = [] } = useQuery(failedVouchersQuery(revocation))
  const retry = useMutation({ ...revokeVouchers, onSuccess: ({ id }) => onRetried(id) })
  return (
    <>
      <Text fz={13.5} c="var(--vs-bad-text)">
        {t('vouchers.revoke-failed', { count: revocation.failed + revocation.kept })}
      </Text>
      <ul style={{ margin: '4px 0', paddingLeft: 18, fontSize: 13.5 }}>
        {vouchers.map(({ id, name, formatted_code: code }) => (
          <li key={id}>
            {name} <span className="code">{code}</span>
          </li>
        ))}
      </ul>
      {retry.error && <ErrorMessage error={retry.error} />}
      {vouchers.length > 0 && (
        <Anchor
          component="button"
          fz={13.5}
          disabled={retry.isPending}
          onClick={() => retry.mutate(vouchers.map(({ id }) => id))}
        >
          {t('vouchers.revoke-again', { count: vouchers.length })}
        </Anchor>
      )}
    </>
  )
}
