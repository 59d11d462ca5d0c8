import { Loader, Skeleton, Text, UnstyledButton } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Voucher } from '../../../../../client/voucher-api.generated.ts'
import type { Creation } from '../../../components/creation/creation.ts'
import { Moment } from '../../../components/moment.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { StatusMark } from '../../../components/voucher/status-mark.tsx'
import { useDelayed } from '../../../hooks/use-delayed.ts'
import { recentVouchersQuery } from '../../../queries/recent-vouchers.ts'
import classes from '../desk.module.css'
import { stateOf } from '../found/found-words.ts'

const shownAtMost = 5

type Props = {
  siteId: number
  timeZone: string
  /** The creation in the panel, which is on top while its outcome is open, and those that the desk left. */
  creations: Creation[]
  shownId: string | undefined
  onOpen: (voucher: Voucher) => void
  onOpenCreation: (key: string) => void
}

/** The last five vouchers of the site. Guests whose outcome is open are on top. */
export function RecentVouchers({ siteId, timeZone, creations, shownId, onOpen, onOpenCreation }: Props) {
  const { t } = useTranslation()
  const { data: vouchers, error, refetch } = useQuery(recentVouchersQuery(siteId))
  const isLate = useDelayed(vouchers === undefined && error === null)
  const open = creations.filter(({ status }) => status.kind !== 'made')
  const made = creations.flatMap(({ key, status }) =>
    status.kind === 'made'
      ? [{ key, voucher: vouchers?.find(({ id }) => id === status.voucher.id) ?? status.voucher }]
      : [],
  )
  const others = (vouchers ?? []).filter(({ id }) => !made.some(({ voucher }) => voucher.id === id))
  const listed = newestFirst([...made, ...others.map((voucher) => ({ key: undefined, voucher }))])
  const shown = listed.slice(0, Math.max(0, shownAtMost - open.length))
  const tintedId = made[0]?.voucher.id ?? shownId // one row: the newest voucher of this desk, otherwise the one in the panel
  const isEmpty = vouchers?.length === 0 && creations.length === 0

  return (
    <section aria-label={t('desk.recent')}>
      <div className={classes.sideTitle}>
        <h2>{t('desk.recent')}</h2>
        <Link to="/vouchers" search={{ site: siteId }}>
          {t('desk.all-vouchers')}
        </Link>
      </div>
      {isLate && <Skeleton h={62 * shownAtMost} radius={12} />}
      {error && !vouchers && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {isEmpty && (
        <Text c="dimmed" fz={13.5}>
          {t('desk.recent-empty')}
        </Text>
      )}
      {(shown.length > 0 || open.length > 0) && (
        <ul className={classes.list}>
          {open.map((creation) => (
            <li key={creation.key}>
              <CreationRow creation={creation} onOpen={() => onOpenCreation(creation.key)} />
            </li>
          ))}
          {shown.map(({ key, voucher }) => (
            <li key={voucher.id}>
              <VoucherRow
                voucher={voucher}
                timeZone={timeZone}
                isShown={voucher.id === tintedId}
                onOpen={() => (key === undefined ? onOpen(voucher) : onOpenCreation(key))}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Vouchers of this desk and of others, such as those of a list, in the order of the API. */
export function newestFirst<Row extends { voucher: Pick<Voucher, 'created_at' | 'id'> }>(rows: Row[]): Row[] {
  const place = ({ voucher }: Row) => `${voucher.created_at} ${voucher.id}`
  return rows.toSorted((one, other) => (place(one) < place(other) ? 1 : -1))
}

type RowProps = { voucher: Voucher; timeZone: string; isShown: boolean; onOpen: () => void }

function VoucherRow({ voucher, timeZone, isShown, onOpen }: RowProps) {
  const { t } = useTranslation()
  const state = stateOf(voucher, Date.now())
  const isOver = state === 'ended' || state === 'revoked'
  return (
    <UnstyledButton className={classes.row} {...(isShown && { 'data-shown': true })} onClick={onOpen}>
      <span className={classes.mark}>
        <StatusMark status={voucher.status} />
      </span>
      <span style={{ flex: 1, minWidth: 0 }}>
        <Text fw={500} lh="20px" truncate title={voucher.name}>
          {voucher.name}
        </Text>
        <Text fz={13} lh="18px" c={isOver ? 'var(--vs-soft)' : 'dimmed'} truncate>
          <span className="code">{voucher.formatted_code}</span>
          {isOver && ` · ${t(`found.${state}`)}`}
        </Text>
      </span>
      <Text fz={13} c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        <Moment at={voucher.created_at} timeZone={timeZone} />
      </Text>
    </UnstyledButton>
  )
}

function CreationRow({ creation, onOpen }: { creation: Creation; onOpen: () => void }) {
  const { t } = useTranslation()
  const isNone = creation.status.kind === 'none'
  const tone = isNone ? 'bad' : 'warn'
  return (
    <UnstyledButton className={classes.row} data-tone={tone} onClick={onOpen}>
      <span className={classes.mark}>
        {isNone ? (
          <IconAlertCircle size={16} color="var(--vs-bad)" aria-hidden />
        ) : (
          <Loader size={16} color="var(--vs-warn)" aria-hidden />
        )}
      </span>
      <span style={{ flex: 1, minWidth: 0 }}>
        <Text fw={500} lh="20px" truncate>
          {creation.request.name}
        </Text>
        <Text fz={13} lh="18px" c={`var(--vs-${tone}-text)`}>
          {t(isNone ? 'desk.row-none' : 'desk.row-open')}
        </Text>
      </span>
    </UnstyledButton>
  )
}
