import { Anchor, Button, Group, SegmentedControl, Text, UnstyledButton } from '@mantine/core'
import { IconRepeat } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Delivery, Webhook } from '../../../../client/voucher-api.generated.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Moment } from '../../components/moment.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { type Column, DataTable } from '../../components/table/data-table.tsx'
import { FilterBar } from '../../components/table/filters.tsx'
import { Pager } from '../../components/table/pager.tsx'
import tableClasses from '../../components/table/table.module.css'
import { ZoneNote } from '../../components/zone-note.tsx'
import { formatTime } from '../../formats.ts'
import { useIsNarrow } from '../../hooks/use-layout.ts'
import { deliveriesQuery, replayDeliveries } from '../../queries/webhook-changes.ts'
import type { PagePosition } from '../../search-params.ts'
import { useScopeZone } from '../../sites.ts'
import { AnswerCell, AttemptsCell, AttemptsOf, StateCell } from './delivery-cells.tsx'
import { ReplayDialog } from './replay-dialog.tsx'

const pageSize = 50
const second = { noWrap: true, cellsClassName: () => tableClasses.dimmed ?? '' }

/** The deliveries of the last 30 days. Opening a row shows its attempts. */
export function DeliveryLog({ webhook, mayReplay }: { webhook: Webhook; mayReplay: boolean }) {
  const { t } = useTranslation()
  const { state, cursor, page } = useSearch({ from: '/shell/webhooks' })
  const timeZone = useScopeZone()
  const isNarrow = useIsNarrow() // an opened row has the attempts
  const navigate = useNavigate()
  const show = (next: PagePosition & { state?: 'failed' | 'pending' }) =>
    void navigate({ to: '/webhooks', search: ({ site }) => ({ site, webhook: webhook.id, ...next }), replace: true })
  const [openId, setOpenId] = useState<string>()
  const [isReplaying, setIsReplaying] = useState(false)
  const { data, error, isFetching, refetch } = useQuery(
    deliveriesQuery(webhook.id, { limit: pageSize, ...(state && { state }), ...(cursor && { cursor }) }),
  )
  const replay = useMutation(replayDeliveries(webhook.id))
  const bulk = useMutation({ ...replayDeliveries(webhook.id), onSuccess: () => setIsReplaying(false) })
  const done = bulk.data ?? replay.data
  const failed = data?.failed ?? 0
  const toggle = ({ id }: Delivery) => setOpenId(id === openId ? undefined : id)
  const replayButton = (row: Delivery) => (
    <ReplayButton
      row={row}
      timeZone={timeZone}
      isBusy={replay.isPending && replay.variables.delivery_id === row.id}
      onReplay={(id) => replay.mutate({ delivery_id: id })}
    />
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
    {
      ...second,
      accessor: 'created_at',
      title: t('webhooks.when'),
      render: (row) => <Moment at={row.created_at} timeZone={timeZone} />,
    },
    {
      ...second,
      accessor: 'answer',
      hidden: isNarrow,
      title: t('webhooks.answer'),
      render: (row) => <AnswerCell attempt={row.attempts.at(-1)} />,
    },
    {
      ...second,
      accessor: 'attempts',
      title: t('webhooks.attempts'),
      hidden: isNarrow,
      render: (row) => <AttemptsCell row={row} />,
    },
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
        <ZoneNote timeZone={timeZone} />
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
          phoneRow={(row) => <PhoneRow row={row} timeZone={timeZone} />}
          onOpen={toggle}
          openId={openId}
          expansion={(row) => (
            <AttemptsOf row={row} timeZone={timeZone}>
              {mayReplay && replayButton(row)}
            </AttemptsOf>
          )}
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
          onReplay={(since) => bulk.mutate({ failed_since: since })}
          onClose={() => setIsReplaying(false)}
        />
      )}
    </section>
  )
}

type ReplayProps = { row: Delivery; timeZone: string; isBusy: boolean; onReplay: (id: string) => void }

function ReplayButton({ row, timeZone, isBusy, onReplay }: ReplayProps) {
  const { t } = useTranslation()
  const time = formatTime(row.created_at, { timeZone, timeStyle: 'medium' })
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

function PhoneRow({ row, timeZone }: { row: Delivery; timeZone: string }) {
  return (
    <>
      <Group justify="space-between" wrap="nowrap">
        <StateCell state={row.state} />
        <Moment at={row.created_at} timeZone={timeZone} />
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
