import { Code, Paper, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Erasure } from '../../../../../client/voucher-api.generated.ts'
import { filled } from '../../../components/filled.tsx'
import { Moment } from '../../../components/moment.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { formatNumber } from '../../../formats.ts'
import { orValue } from '../../../newer-values.ts'
import { erasuresQuery } from '../../../queries/guests.ts'
import { useScopeZone } from '../../../sites.ts'
import classes from './guest-data.module.css'

const command = 'voucher-service guests receipts'

/** The last receipts of erasures. They have no names. */
export function ErasuresPanel() {
  const { t } = useTranslation()
  const { data, error, refetch } = useQuery(erasuresQuery)
  return (
    <Paper component="section" withBorder radius="lg" bg="var(--vs-panel)" className={classes.panel ?? ''}>
      <div className={classes.part}>
        <div>
          <Title order={2} fz={15} lh="22px">
            {t('guest-data.erasures')}
          </Title>
          <Text fz={13.5} lh="20px" c="dimmed">
            {filled(t('guest-data.erasures-text', { command: '\n' }), <Code fz={12.5}>{command}</Code>)}
          </Text>
        </div>
        {error && !data && <ErrorMessage error={error} onRetry={() => void refetch()} />}
        {data?.erasures.length === 0 && (
          <Text fz={13.5} c="dimmed">
            {t('guest-data.no-erasures')}
          </Text>
        )}
      </div>
      {data && data.erasures.length > 0 && <Erasures erasures={data.erasures} />}
    </Paper>
  )
}

function Erasures({ erasures }: { erasures: Erasure[] }) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  return (
    <table className={`${classes.table} ${classes.erasures}`} aria-label={t('guest-data.erasures')}>
      <thead>
        <tr>
          <th scope="col">{t('guest-data.receipt-date')}</th>
          <th scope="col">{t('guest-data.reason')}</th>
          <th scope="col" className={classes.number}>
            {t('guest-data.entries')}
          </th>
          <th scope="col">{t('guest-data.receipt-number')}</th>
        </tr>
      </thead>
      <tbody>
        {erasures.map(({ id, at, by, reason, entries, waiting }) => (
          <tr key={id}>
            <th scope="row">
              <Moment at={at} timeZone={timeZone} />
              <span className={classes.second}>{by}</span>
            </th>
            <td className={classes.dimmed}>
              {t(`guest-data.reason-${reason}`, orValue(reason))}
              {waiting > 0 && (
                <span className={`${classes.second} ${classes.waiting}`}>
                  {t('guest-data.waiting-short', { count: waiting, number: formatNumber(waiting) })}
                </span>
              )}
            </td>
            <td className={classes.number}>
              <span className={classes.onDesk}>{formatNumber(entries)}</span>
              <span className={classes.onPhone}>
                {t('guest-data.entries-erased', { count: entries, number: formatNumber(entries) })}
              </span>
            </td>
            <td>
              <span className={`code ${classes.id}`}>{id}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
