import { Button, Group } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { toApiError } from '../../api.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useScope } from '../../sites.ts'
import { hasFilters, statusesOf, type VoucherSearch } from './voucher-search.ts'
import classes from './vouchers.module.css'

/** Replaces the rows: there are no vouchers yet, or none matches the filters. */
export function NoVouchers({ search, onClear }: { search: VoucherSearch; onClear: () => void }) {
  const { t } = useTranslation()
  const words = useFilterWords(search)
  if (hasFilters(search))
    return (
      <EmptyState title={t('table.no-match')} text={words}>
        <Button variant="default" onClick={onClear}>
          {t('table.clear')}
        </Button>
      </EmptyState>
    )
  if (search.page !== undefined) return <EmptyState title={t('vouchers.no-older')} text={t('vouchers.no-older-text')} />
  return (
    <EmptyState title={t('vouchers.none')} text={t('vouchers.none-text')}>
      <Button component={Link} to="/desk" leftSection={<IconPlus size={16} aria-hidden />}>
        {t('vouchers.first')}
      </Button>
    </EmptyState>
  )
}

/** The filters as a sentence: “Konferenz”, valid, created in the last 7 days. */
function useFilterWords(search: VoucherSearch): string {
  const { t } = useTranslation()
  const { site } = useScope()
  const { q, created, from, to, source, by, reference } = search
  const words = [
    ...(q ? [t('vouchers.quoted', { text: q.trim() })] : []),
    ...(site ? [site.name] : []),
    ...statusesOf(search.status).map((status) => t(`desk.status-${status}`).toLowerCase()),
    ...(created ? [t('vouchers.created-in', { period: t(`vouchers.period-${created}`).toLowerCase() })] : []),
    ...(from ? [t('vouchers.since', { day: from })] : []),
    ...(to ? [t('vouchers.until-day', { day: to })] : []),
    ...(by ? [t('vouchers.by-one')] : source ? [t(`vouchers.source-${source}`)] : []),
    ...(reference ? [t('vouchers.reference-is', { reference })] : []),
  ]
  return `${words.join(', ')}.`
}

type ListStateProps = { error: unknown; onRetry: () => void; onNarrow: () => void }

/** Replaces the table if it could not be loaded. A search that takes too long says how to narrow it. */
export function ListState({ error, onRetry, onNarrow }: ListStateProps) {
  const { t } = useTranslation()
  const code = toApiError(error).error
  if (code !== 'search_too_slow' && code !== 'searches_too_many')
    return <ErrorMessage error={error} onRetry={onRetry} title={t('vouchers.not-loaded')} />
  const isSlow = code === 'search_too_slow'
  return (
    <div className={classes.state} role="alert">
      <EmptyState
        title={t(isSlow ? 'vouchers.too-slow' : 'vouchers.too-many')}
        text={t(isSlow ? 'vouchers.too-slow-text' : 'vouchers.too-many-text')}
      >
        <Group justify="center">
          {isSlow && (
            <Button variant="default" onClick={onNarrow}>
              {t('vouchers.only-last-month')}
            </Button>
          )}
          <Button variant="default" onClick={onRetry}>
            {t('actions.try-again')}
          </Button>
        </Group>
      </EmptyState>
    </div>
  )
}
