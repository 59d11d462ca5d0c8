import { ActionIcon, Button, Group, Kbd } from '@mantine/core'
import { IconListCheck, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Voucher } from '../../../../client/voucher-api.generated.ts'
import { ExportError } from '../../components/export-error.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Pager } from '../../components/table/pager.tsx'
import { useLayout } from '../../hooks/use-layout.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { exportVouchers, voucherListQuery } from '../../queries/vouchers.ts'
import { usePerson } from '../../session.tsx'
import { useShortcuts } from '../../shortcuts.ts'
import { useScope, useScopeZone } from '../../sites.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { ListState, NoVouchers } from './list-states.tsx'
import { RevocationNote } from './revocation-note.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { type DrawerDialog, VoucherDrawer } from './voucher-drawer.tsx'
import { VoucherExport } from './voucher-export.tsx'
import { VoucherFilters } from './voucher-filters.tsx'
import { toListQuery } from './voucher-list-query.ts'
import { hasFilters, noFilters, type VoucherSearch } from './voucher-search.ts'
import { VoucherTable } from './voucher-table.tsx'
import classes from './vouchers.module.css'

addTexts({ de, en })

const pageSize = 50

/** The vouchers of the chosen site or of all sites, with filters. A drawer shows one voucher; a bar has actions for several. */
export function VouchersPage() {
  const { t } = useTranslation()
  const search = useSearch({ from: '/shell/vouchers' })
  const navigate = useNavigate()
  const isPhone = useLayout() === 'phone'
  const [selected, setSelected] = useState<string[]>([])
  const [isSelecting, setIsSelecting] = useState(false)
  const [dialog, setDialog] = useState<DrawerDialog>(null)
  const { query, list, error, retry } = useVoucherList(search)
  const rows = list.data?.vouchers
  const exporting = useMutation(exportVouchers)
  const change = (next: VoucherSearch) =>
    void navigate({ to: '.', search: (old) => ({ ...old, ...next }), replace: true })
  const filter = (next: VoucherSearch) => change({ cursor: undefined, page: undefined, ...next })
  const show = useShowVoucher(change, () => setDialog(null))
  const unselect = () => {
    setSelected([])
    setIsSelecting(false)
  }
  const move = (step: 1 | -1) => moveInList(rows ?? [], search.voucher, step, show)
  // Rows of another page or filter are not selected any more: nobody sees them.
  const pageKey = JSON.stringify([query, search.cursor])
  useEffect(() => unselect(), [pageKey])

  useListShortcuts({
    isDialogOpen: dialog !== null,
    onMove: move,
    onSelect: () => {
      const id = search.voucher ?? focusedVoucher()
      if (id) setSelected(selected.includes(id) ? selected.filter((one) => one !== id) : [...selected, id])
    },
    onEscape: unselect,
  })
  const selectedVouchers = (rows ?? []).filter(({ id }) => selected.includes(id))
  const isEmpty = rows?.length === 0 && !hasFilters(search) && search.page === undefined
  const select = isPhone && !isSelecting ? undefined : setSelected

  return (
    <div className={selected.length > 0 || isSelecting ? (classes.room ?? '') : ''}>
      <PageTitle title={t('vouchers.title')}>
        <Group gap={8} wrap="nowrap">
          {isPhone && !isEmpty && !isSelecting && (
            <ActionIcon
              variant="default"
              size={44}
              aria-label={t('vouchers.select')}
              onClick={() => setIsSelecting(true)}
            >
              <IconListCheck size={20} aria-hidden />
            </ActionIcon>
          )}
          {!isEmpty && <NewVoucher />}
        </Group>
      </PageTitle>
      {!isEmpty && (
        <VoucherFilters
          search={search}
          onChange={filter}
          maker={rows?.find(({ created_by }) => created_by?.id === search.by)?.created_by?.name}
        >
          <VoucherExport isBusy={exporting.isPending} onExport={(format) => exporting.mutate({ query, format })} />
        </VoucherFilters>
      )}
      {search.revocation && (
        <RevocationNote
          key={search.revocation}
          id={search.revocation}
          onClose={() => change({ revocation: undefined })}
          onRetried={(revocation) => change({ revocation })}
        />
      )}
      {exporting.error && (
        <div className={classes.note}>
          <ExportError
            error={exporting.error}
            tooLarge={{ title: t('vouchers.export-too-large'), text: t('vouchers.export-too-large-text') }}
            onRetry={() => exporting.variables && exporting.mutate(exporting.variables)}
          />
        </div>
      )}
      {error ? (
        <ListState error={error} onRetry={retry} onNarrow={() => filter({ created: '30d' })} />
      ) : (
        <VoucherTable
          rows={rows}
          isFetching={list.isFetching && list.isPlaceholderData}
          openId={search.voucher}
          onOpen={({ id }) => show(id)}
          selected={selected}
          onSelect={select}
          onLongPress={({ id }) => {
            setIsSelecting(true)
            setSelected([...selected, id])
          }}
          empty={<NoVouchers search={search} onClear={() => filter(noFilters)} />}
          foot={
            isEmpty ? null : (
              <Pager
                cursor={search.cursor}
                page={search.page}
                size={pageSize}
                count={rows?.length ?? 0}
                nextCursor={list.data?.next_cursor}
                onMove={(position) => filter(position)}
              />
            )
          }
        />
      )}
      <SelectionBar
        vouchers={selectedVouchers}
        isSelecting={isSelecting}
        isExporting={exporting.isPending}
        onExport={(format) => exporting.mutate({ query: { id: selectedVouchers.map(({ id }) => id) }, format })}
        onRevoked={(revocation) => {
          unselect()
          change({ revocation })
        }}
        onClose={unselect}
      />
      <VoucherDrawer
        id={search.voucher}
        listed={rows?.find(({ id }) => id === search.voucher)}
        dialog={dialog}
        onDialog={setDialog}
        onMove={move}
        onClose={() => {
          const before = search.voucher
          const focused = document.activeElement ?? document.body
          const isElsewhere = focused !== document.body && focused.closest('dialog, [role=dialog]') === null
          show(undefined)
          if (!isElsewhere) requestAnimationFrame(() => rowButton(before)?.focus())
        }}
      />
    </div>
  )
}

/**
 * Shows a voucher in the drawer, or closes the drawer. On a phone the drawer fills the screen like a page, so it has its own
 * entry in the history: *Back* closes it.
 */
function useShowVoucher(change: (next: VoucherSearch) => void, onShow: () => void) {
  const { voucher: open } = useSearch({ from: '/shell/vouchers' })
  const navigate = useNavigate()
  const { history } = useRouter()
  const isPhone = useLayout() === 'phone'
  const hasEntry = useRef(false)
  return (voucher: string | undefined) => {
    onShow()
    if (isPhone && open === undefined && voucher !== undefined) {
      hasEntry.current = true
      void navigate({ to: '.', search: (old) => ({ ...old, voucher }) })
    } else if (voucher === undefined && hasEntry.current) {
      hasEntry.current = false
      history.back()
    } else change({ voucher })
  }
}

function useVoucherList(search: VoucherSearch) {
  const { site, sites, error: sitesError, reload } = useScope()
  const { id: personId } = usePerson()
  const timeZone = useScopeZone()
  const query = toListQuery(search, { siteId: site?.id, timeZone, personId, now: new Date() })
  const page = { ...query, limit: pageSize, ...(search.cursor !== undefined && { cursor: search.cursor }) }
  const list = useQuery({ ...voucherListQuery(page, search.q !== undefined), enabled: sites !== undefined })
  const error = sitesError ?? (list.data ? null : list.error)
  return { query, list, error, retry: sitesError ? reload : () => void list.refetch() }
}

function NewVoucher() {
  const { t } = useTranslation()
  const isPhone = useLayout() === 'phone'
  return (
    <Button component={Link} to="/desk" leftSection={<IconPlus size={16} aria-hidden />}>
      {t('vouchers.new')}
      {!isPhone && (
        <Kbd
          ml={10}
          aria-hidden
          bg="transparent"
          c="inherit"
          bd="1px solid color-mix(in srgb, currentcolor 45%, transparent)"
        >
          N
        </Kbd>
      )}
    </Button>
  )
}

type ListShortcuts = {
  isDialogOpen: boolean
  onMove: (step: 1 | -1) => void
  onSelect: () => void
  onEscape: () => void
}

function useListShortcuts({ isDialogOpen, onMove, onSelect, onEscape }: ListShortcuts): void {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const unlessDialog = (run: () => void) => () => {
    if (!isDialogOpen) run()
  }
  const unselect = () => {
    if (!document.querySelector('[aria-modal=true], [role=menu]')) onEscape()
  }
  useShortcuts([
    { hotkey: 'j', shown: ['J'], label: t('vouchers.next'), run: unlessDialog(() => onMove(1)) },
    { hotkey: 'k', shown: ['K'], label: t('vouchers.previous'), run: unlessDialog(() => onMove(-1)) },
    { hotkey: 'x', shown: ['X'], label: t('vouchers.select'), run: unlessDialog(onSelect) },
    { shown: [t('vouchers.key-enter')], label: t('vouchers.open') },
    { hotkey: 'Escape', shown: ['Esc'], label: t('actions.close'), run: unselect },
    { hotkey: 'n', shown: ['N'], label: t('vouchers.new'), run: unlessDialog(() => void navigate({ to: '/desk' })) },
  ])
}

const rowButton = (id: string | undefined) =>
  [...document.querySelectorAll<HTMLElement>('[data-voucher]')].find((button) => button.dataset['voucher'] === id)

/** The voucher of the row that contains the focus. */
function focusedVoucher(): string | undefined {
  return document.activeElement?.closest('tr')?.querySelector<HTMLElement>('[data-voucher]')?.dataset['voucher']
}

/** Shows the next voucher in the drawer, or moves the focus to the next row, where Enter opens it. */
function moveInList(rows: Voucher[], openId: string | undefined, step: 1 | -1, show: (id: string) => void): void {
  const at = rows.findIndex(({ id }) => id === (openId ?? focusedVoucher()))
  const next = at < 0 ? rows[step > 0 ? 0 : rows.length - 1] : rows[at + step]
  if (!next) return
  if (openId === undefined) rowButton(next.id)?.focus()
  else show(next.id)
}
