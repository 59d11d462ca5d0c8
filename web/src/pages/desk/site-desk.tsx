import { Group, SegmentedControl, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Site, Template, Voucher } from '../../../../client/voucher-api.generated.ts'
import { api } from '../../api.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { useLayout } from '../../hooks/use-layout.ts'
import { openKeys, useKeys } from '../../keys.ts'
import { lazyPart } from '../../new-version.tsx'
import { Announcement } from './announcement.tsx'
import type { Creation } from './creation.ts'
import classes from './desk.module.css'
import { lastTemplate, rememberTemplate, useDesk } from './desk-data.ts'
import { DeskForm, isTouch } from './form/desk-form.tsx'
import { custom, type DeskInput, limitsOf, toRequest } from './form/desk-input.ts'
import { mostCards } from './form/template-cards.tsx'
import { CheckCode } from './voucher/check-code.tsx'
import { RecentVouchers } from './voucher/recent-vouchers.tsx'
import { VoucherPanel } from './voucher/voucher-panel.tsx'

const ManyPart = lazyPart(async () => (await import('./many/many-part.tsx')).ManyPart)
const OpenBatches = lazyPart(async () => (await import('./many/open-batches.tsx')).OpenBatches)

type Props = { site: Site; siteField: ReactNode; guestInfo: GuestInfo; templates: Template[] }

/** The desk of one site: the form or a voucher, and next to it the last vouchers and a field to check a code. */
export function SiteDesk({ site, siteField, guestInfo, templates }: Props) {
  const { t } = useTranslation()
  const { store, desk } = useDesk()
  const queries = useQueryClient()
  const isPhone = useLayout() === 'phone'
  const isHere = ({ request }: Creation) => request.site_id === site.id
  const current = desk.current && isHere(desk.current) ? desk.current : null
  const aside = desk.aside.filter(isHere)
  const [opened, setOpened] = useOpenedVoucher()
  const [many, showMany] = useMany()
  const canType = current === null || current.status.kind === 'none'
  const [kept] = useState(() => withKnownTemplate(store.keptInput(site.id), templates))
  const [input, setInput] = useState<DeskInput>(
    () => (canType ? kept : undefined) ?? current?.input ?? emptyInput(site, templates, guestInfo),
  )
  const [draft, setDraft] = useState(canType ? undefined : kept)
  const nameField = useRef<HTMLInputElement>(null)
  const made = current?.status.kind === 'made' && !many ? current.status.voucher : undefined
  const shown = opened ?? made
  const isTyping = shown === undefined && canType && !many
  const unsent = canType ? input : draft

  // The person chose another site: an unsettled creation continues in the background.
  useEffect(() => {
    if (desk.current && desk.current.request.site_id !== site.id) store.next()
  }, [store, desk.current, site.id])
  // A failure may mean that the controller is unreachable. The state of the site says since when.
  const outcome = current?.status.kind
  useEffect(() => {
    if (outcome === 'none' || outcome === 'unknown') void queries.invalidateQueries({ queryKey: ['sites'] })
  }, [queries, outcome])
  useEffect(() => store.keepInput(site.id, unsent), [store, site.id, unsent])
  useEffect(() => {
    if (isTyping && !isTouch()) nameField.current?.focus()
  }, [isTyping])

  const submit = (next: DeskInput) => {
    if (next.choice !== custom) rememberTemplate(site.id, next.choice)
    store.submit(toRequest(next, guestInfo), next)
  }
  const goOn = () => {
    if (opened) return setOpened(undefined)
    if (many) return showMany('new')
    if (current === null) return nameField.current?.focus()
    store.next()
    setInput(draft ?? { ...input, name: '', limits: { ...input.limits, reference: '' } })
    setDraft(undefined)
  }
  const openCreation = (key: string) => {
    if (key === current?.key && made) return setOpened(made) // to revoke or extend what was just made
    const creation = aside.find((one) => one.key === key)
    setOpened(undefined)
    if (!creation) return
    if (current === null && input.name !== '') setDraft(input)
    store.open(key)
    setInput(creation.input)
  }
  const replace = (voucher: Voucher, until: string) => {
    const limits = { ...limitsOf(undefined, guestInfo.time_zone), ...limitsFrom(voucher), until }
    const next: DeskInput = { name: voucher.name, choice: custom, limits }
    setOpened(undefined)
    store.next()
    setInput(next)
    submit(next)
  }
  useKeys([{ hotkey: 'n', shown: ['N'], label: t('desk.next-guest'), run: () => shown === undefined && goOn() }])

  return (
    <div className={classes.page}>
      <div>
        <PageTitle title={t(opened ? 'desk.voucher' : made ? 'desk.made' : many ? 'desk.title-many' : 'desk.title')}>
          <SegmentedControl
            aria-label={t('desk.how-many')}
            value={many ? 'many' : 'one'}
            onChange={(mode) => {
              setOpened(undefined)
              showMany(mode === 'many' ? 'open' : undefined)
            }}
            data={[
              { value: 'one', label: t('desk.one') },
              { value: 'many', label: t('desk.many') },
            ]}
          />
        </PageTitle>
        <div className={classes.panel}>
          {shown === undefined && siteField}
          {shown ? (
            <VoucherPanel
              key={shown.id}
              voucher={shown}
              site={site}
              guestInfo={guestInfo}
              isNew={opened === undefined}
              onNext={goOn}
              onReplace={replace}
            />
          ) : many ? (
            <Suspense>
              <ManyPart site={site} guestInfo={guestInfo} templates={templates} many={many} onShow={showMany} />
            </Suspense>
          ) : (
            <DeskForm
              site={site}
              guestInfo={guestInfo}
              templates={templates}
              creation={current}
              input={input}
              nameField={nameField}
              onChange={(change) => setInput({ ...input, ...change })}
              onSubmit={() => submit(input)}
              onNext={goOn}
            />
          )}
        </div>
        <Announcement creation={current} aside={aside} hint={t('desk.kept')} />
      </div>
      <div>
        <RecentVouchers
          siteId={site.id}
          timeZone={guestInfo.time_zone}
          creations={[...(current && isListed(current) ? [current] : []), ...aside]}
          shownId={shown?.id}
          onOpen={setOpened}
          onOpenCreation={openCreation}
        />
        <Suspense>
          <OpenBatches
            siteId={site.id}
            timeZone={guestInfo.time_zone}
            shownId={many}
            onlyOpen={many === undefined}
            onShow={(id) => {
              setOpened(undefined)
              showMany(id)
            }}
          />
        </Suspense>
        {!isPhone && <KeyHints cards={Math.min(templates.length, mostCards) + 1} />}
        <div style={{ marginTop: 28 }}>
          <CheckCode siteId={site.id} timeZone={guestInfo.time_zone} onOpen={setOpened} />
        </div>
      </div>
    </div>
  )
}

/** The content of the part for many vouchers, from the URL; undefined for a single voucher. */
function useMany() {
  const { many } = useSearch({ from: '/shell/desk' })
  const navigate = useNavigate()
  const show = useCallback(
    (next: string | undefined) =>
      void navigate({ to: '/desk', search: (old) => ({ ...old, many: next }), replace: true }),
    [navigate],
  )
  return [many, show] as const
}

/** The voucher that somebody chose in a list, as it is now. */
function useOpenedVoucher() {
  const [opened, setOpened] = useState<Voucher>()
  const { data } = useQuery({
    queryKey: ['vouchers', 'one', opened?.id],
    enabled: opened !== undefined,
    queryFn: () => api.getVoucher(opened?.id ?? ''),
  })
  return [opened && data?.id === opened.id ? data : opened, setOpened] as const
}

function emptyInput(site: Site, templates: Template[], { time_zone: timeZone }: GuestInfo): DeskInput {
  const template = lastTemplate(site.id, templates)
  return { name: '', choice: template?.id ?? custom, limits: limitsOf(template, timeZone) }
}

/** Stored input cannot be used if its template no longer exists. */
function withKnownTemplate(input: DeskInput | undefined, templates: Template[]): DeskInput | undefined {
  const isKnown = input?.choice === custom || templates.some(({ id }) => id === input?.choice)
  return isKnown ? input : undefined
}

/** The limits of a voucher, for a replacement that ends at a given time. */
function limitsFrom({ max_uses: devices, qos, reference }: Voucher) {
  return {
    unit: 'until' as const,
    devices,
    downMbps: qos.down_kbps / 1000 || ('' as const),
    upMbps: qos.up_kbps / 1000 || ('' as const),
    quotaMb: qos.quota_mb || ('' as const),
    reference: reference ?? '',
  }
}

/** The guest in the panel is also in the list while the outcome is open, and as soon as there is a voucher. */
function isListed({ status }: Creation): boolean {
  return status.kind === 'unknown' || status.kind === 'made'
}

function KeyHints({ cards }: { cards: number }) {
  const { t } = useTranslation()
  return (
    <Group gap="md" mt={10} c="dimmed" fz={12}>
      <Text span inherit>
        <kbd className={classes.key}>N</kbd> {t('desk.hint-new')}
      </Text>
      <Text span inherit>
        <kbd className={classes.key}>1</kbd>–<kbd className={classes.key}>{cards}</kbd> {t('desk.hint-template')}
      </Text>
      <Text
        span
        inherit
        component="button"
        type="button"
        onClick={openKeys}
        style={{ all: 'unset', cursor: 'pointer' }}
      >
        <kbd className={classes.key}>?</kbd> {t('desk.hint-keys')}
      </Text>
    </Group>
  )
}
