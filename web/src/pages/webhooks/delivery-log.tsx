import { Anchor, Button, Group, SegmentedControl, Text, UnstyledButton } from '@mantine/core'
import { IconRepeat } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Delivery, Webhook } from '../../../../client/voucher-api.generated.ts'
import { api } from '../../api.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Moment } from '../../components/moment.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { type Column, DataTable } from '../../components/table/data-table.tsx'
import { FilterBar } from '../../components/table/filters.tsx'
import { Pager } from '../../components/table/pager.tsx'
import tableClasses from '../../components/table/table.module.css'
import type { PagePosition } from '../../search-params.ts'
import { AnswerCell, AttemptsCell, AttemptsOf, StateCell } from './delivery-cells.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import { useWebhookChange } from './webhook-data.ts'

const pageSize = 50
const second = { noWrap: true, cellsClassName: () => tableClasses.dimmed ?? '' }

/** The deliveries of the last 30 days. Opening a row shows its attempts. */
export function DeliveryLog({ webhook, mayReplay }: { webhook: Webhook; mayReplay: boolean }) {
  const { t } = useTranslation()
  const { state, cursor, page } = useSearch({ from: '/shell/webhooks' })
  const navigate = useNavigate()
  const show = (next: PagePosition & { state?: 'failed' | 'pending' }) =>
    void navigate({ to: '/webhooks', search: ({ site }) => ({ site, webhook: webhook.id, ...next }), replace: true })
  const [openId, setOpenId] = useState<string>()
  const [isReplaying, setIsReplaying] = useState(false)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['webhooks', webhook.id, 'deliveries', { state, cursor }],
    queryFn: () =>
      api.listDeliveries(webhook.id, { limit: pageSize, ...(state && { state }), ...(cursor && { cursor }) }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data && data.pending > 0 ? 3_000 : 10_000),
  })
  const replay = useWebhookChange((id: string) => api.replayDeliveries(webhook.id, { delivery_id: id }))
  const bulk = useWebhookChange(
    (since: string) => api.replayDeliveries(webhook.id, { failed_since: since }),
    () => setIsReplaying(false),
  )
  const done = bulk.data ?? replay.data
  const failed = data?.failed ?? 0
  const toggle = ({ id }: Delivery) => setOpenId(id === openId ? undefined : id)
  const replayButton = (row: Delivery) => (
    <ReplayButton row={row} isBusy={replay.isPending && replay.variables === row.id} onReplay={replay.mutate} />
  )
  const columns: Column<Delivery>[] = [
    {
      accessor: 'state',
      title: t('webhooks.state'),
      render: (row) => (
        <UnstyledButton aria-expanded={row.id === openId} fz="inherit">
          <StateCell state={row.state} />
        </UnstyledButton>
      ),
    },
    { accessor: 'type', title: t('webhooks.event'), render: ({ type }) => <code>{type}</code> },
    { ...second, accessor: 'created_at', title: t('webhooks.when'), render: (row) => <Moment at={row.created_at} /> },
    {
      ...second,
      accessor: 'answer',
      title: t('webhooks.answer'),
      render: (row) => <AnswerCell attempt={row.attempts.at(-1)} />,
    },
    { ...second, accessor: 'attempts', title: t('webhooks.attempts'), render: (row) => <AttemptsCell row={row} /> },
    {
      accessor: 'replay',
      title: '',
      textAlign: 'right',
      noWrap: true,
      render: (row) => mayReplay && row.state !== 'delivered' && replayButton(row),
    },
  ]
  const options = [
    { value: 'all', label: t('webhooks.filter-all') },
    { value: 'failed', label: t('webhooks.filter-failed', { count: failed }) },
    { value: 'pending', label: t('webhooks.filter-pending', { count: data?.pending ?? 0 }) },
  ]
  return (
    <section aria-label={t('webhooks.log')}>
      <FilterBar>
        <SegmentedControl
          aria-label={t('webhooks.filter')}
          size="xs"
          data={options}
          value={state ?? 'all'}
          onChange={(value) => show(value === 'failed' || value === 'pending' ? { state: value } : {})}
        />
        {mayReplay && failed > 0 && (
          <Button
            variant="default"
            ml="auto"
            leftSection={<IconRepeat size={16} aria-hidden />}
            onClick={() => setIsReplaying(true)}
          >
            {t('webhooks.replay-failed', { count: failed })}
          </Button>
        )}
      </FilterBar>
      {done && (
        <Text role="status" mb="sm" c="var(--vs-ok-text)">
          {t('webhooks.replayed', { count: done.replayed })} {done.more && t('webhooks.replayed-more')}
        </Text>
      )}
      {(replay.error ?? bulk.error) && !isReplaying && <ErrorMessage error={replay.error ?? bulk.error} />}
      {error && !data ? (
        <ErrorMessage error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label={t('webhooks.log')}
          rows={data?.deliveries}
          columns={columns}
          phoneRow={(row) => <PhoneRow row={row} />}
          onOpen={toggle}
          openId={openId}
          expansion={(row) => <AttemptsOf row={row}>{mayReplay && replayButton(row)}</AttemptsOf>}
          isFetching={isFetching && data === undefined}
          empty={<Empty state={state} onShowAll={() => show({})} />}
          foot={
            data && (page || data.next_cursor) ? (
              <Pager
                {...{ cursor, page }}
                size={pageSize}
                count={data.deliveries.length}
                nextCursor={data.next_cursor}
                onMove={(position) => show({ ...(state && { state }), ...position })}
              />
            ) : null
          }
        />
      )}
      {isReplaying && (
        <ReplayDialog
          webhook={webhook}
          isBusy={bulk.isPending}
          error={bulk.error}
          onReplay={bulk.mutate}
          onClose={() => setIsReplaying(false)}
        />
      )}
    </section>
  )
}

type ReplayProps = { row: Delivery; isBusy: boolean; onReplay: (id: string) => void }

function ReplayButton({ row, isBusy, onReplay }: ReplayProps) {
  const { t } = useTranslation()
  const time = new Date(row.created_at).toLocaleTimeString()
  return (
    <Anchor
      component="button"
      type="button"
      fz={13.5}
      fw={500}
      disabled={isBusy}
      aria-label={t('webhooks.replay-one', { type: row.type, time })}
      onClick={(event) => {
        event.stopPropagation() // the row would open
        onReplay(row.id)
      }}
    >
      {t('webhooks.replay')}
    </Anchor>
  )
}

function PhoneRow({ row }: { row: Delivery }) {
  return (
    <>
      <Group justify="space-between" wrap="nowrap">
        <StateCell state={row.state} />
        <Moment at={row.created_at} />
      </Group>
      <Text component="div" fz={13} c="dimmed">
        <code>{row.type}</code> · <AnswerCell attempt={row.attempts.at(-1)} /> · <AttemptsCell row={row} />
      </Text>
    </>
  )
}

function Empty({ state, onShowAll }: { state: 'failed' | 'pending' | undefined; onShowAll: () => void }) {
  const { t } = useTranslation()
  if (!state) return <EmptyState title={t('webhooks.log-empty')} text={t('webhooks.log-empty-text')} />
  return (
    <EmptyState title={t(`webhooks.log-none-${state}`)} text={t('webhooks.log-no-match-text')}>
      <Button variant="default" onClick={onShowAll}>
        {t('webhooks.show-all')}
      </Button>
    </EmptyState>
  )
}
