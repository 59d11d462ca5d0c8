import { Group, SegmentedControl, Text, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Site, Template, Voucher } from '../../../../client/voucher-api.generated.ts'
import { afterPaint } from '../../after-paint.ts'
import { Announcement } from '../../components/creation/announcement.tsx'
import type { Creation } from '../../components/creation/creation.ts'
import { custom, type DeskInput, limitsOf, toRequest, unusedLimits } from '../../components/creation/desk-input.ts'
import { secondCodeInput } from '../../components/creation/second-code.ts'
import { useDesk } from '../../components/creation/use-desk.ts'
import { PageTitle } from '../../components/page-title.tsx'
import type { WallTime } from '../../components/voucher/zoned-time.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { isTouch } from '../../is-touch.ts'
import { lazyPart } from '../../new-version.tsx'
import { usePrintNewVoucher } from '../../print/use-print-new-voucher.ts'
import { useWatchedSite } from '../../queries/sites.ts'
import { voucherQuery } from '../../queries/vouchers.ts'
import { openShortcuts, useShortcuts } from '../../shortcuts.ts'
import { SecondStep } from '../../two-steps.tsx'
import classes from './desk.module.css'
import { defaultTemplate, firstTemplate, rememberTemplate } from './desk-data.ts'
import { DeskForm } from './form/desk-form.tsx'
import { mostCards } from './form/template-cards.tsx'
import { useFieldFocus } from './form/use-field-focus.ts'
import { UndoNotes } from './undo-notes.tsx'
import { CheckCode } from './voucher/check-code.tsx'
import { RecentVouchers } from './voucher/recent-vouchers.tsx'
import { loadWifiQr, VoucherPanel } from './voucher/voucher-panel.tsx'

const ManyPart = lazyPart(async () => (await import('./many/many-part.tsx')).ManyPart)
const OpenBatches = lazyPart(async () => (await import('./many/open-batches.tsx')).OpenBatches)

type Props = { site: Site; siteField: ReactNode; guestInfo: GuestInfo; templates: Template[] }

/** The desk of one site: the form or a voucher, and next to it the last vouchers and a field to check a code. */
export function SiteDesk({ site, siteField, guestInfo, templates }: Props) {
  const { t } = useTranslation()
  const { store, desk } = useDesk()
  const isPhone = useLayout() === 'phone'
  const isHere = ({ request }: Creation) => request.site_id === site.id
  const current = desk.current && isHere(desk.current) ? desk.current : null
  const aside = desk.aside.filter(isHere)
  const [opened, setOpened] = useOpenedVoucher()
  const [many, showMany] = useMany()
  const canType = current === null || current.status.kind === 'none'
  const [kept] = useState(() =>
    withKnownTemplate(store.keptInput(site.id), templates, () => emptyInput(site, templates, guestInfo)),
  )
  const [input, setInput] = useState<DeskInput>(
    () => (canType ? kept : undefined) ?? current?.input ?? emptyInput(site, templates, guestInfo),
  )
  const [draft, setDraft] = useState(canType ? undefined : kept)
  const nameField = useRef<HTMLInputElement>(null)
  const made = current?.status.kind === 'made' && !many ? current.status.voucher : undefined
  const shown = opened ?? made
  const isTyping = shown === undefined && canType && !many
  const unsent = canType ? input : draft
  const isNewShown = current !== null && made !== undefined && opened === undefined
  usePrintNewVoucher(isNewShown ? { voucher: made, startedAt: current.startedAt } : undefined, site, guestInfo)

  useEffect(() => {
    void afterPaint()
      .then(loadWifiQr)
      .catch(() => {}) // a voucher tries it again
  }, [])
  // The person chose another site: an unsettled creation continues in the background.
  useEffect(() => {
    if (desk.current && desk.current.request.site_id !== site.id) store.next()
  }, [store, desk.current, site.id])
  // A failure may mean that the controller is unreachable. The state of the site says since when.
  useWatchedSite(
    site,
    [current, ...aside].some((one) => one?.status.kind === 'none' || one?.status.kind === 'unknown'),
  )
  useEffect(() => store.keepInput(site.id, unsent), [store, site.id, unsent])
  useEffect(() => {
    if (isTyping && !isTouch()) focusEnd(nameField.current)
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
    setInput(draft ?? nextInput(input, templates))
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
  const createSecondCode = (voucher: Voucher, until: WallTime) => {
    const next = secondCodeInput(voucher, until, guestInfo.time_zone)
    if (current === null && input.name !== '') setDraft(input)
    setOpened(undefined)
    store.next()
    setInput(next)
    submit(next)
  }
  useShortcuts([{ hotkey: 'n', shown: ['N'], label: t('desk.next-guest'), run: () => shown === undefined && goOn() }])

  // On a phone, the bar with the button and the tabs would cover notes below the form.
  const undoNotes = <UndoNotes undos={desk.undos} onRead={store.readUndo} />

  return (
    <div className={classes.page}>
      <div>
        <PageTitle title={t(opened ? 'desk.voucher' : made ? 'desk.made' : many ? 'desk.title-many' : 'desk.title')}>
          <SecondStep>
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
          </SecondStep>
        </PageTitle>
        {isPhone && undoNotes}
        <div className={classes.panel}>
          {shown === undefined && siteField}
          {shown ? (
            <VoucherPanel
              key={shown.id}
              voucher={shown}
              site={site}
              guestInfo={guestInfo}
              isNew={opened === undefined}
              withSite={siteField !== undefined}
              sentTo={isNewShown ? current.request.message?.email : undefined}
              onNext={goOn}
              onUndo={store.undo} // the form still has the text
              onSecondCode={createSecondCode}
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
              onShow={setOpened}
              onSecondCode={createSecondCode}
            />
          )}
        </div>
        {!isPhone && undoNotes}
        <Announcement creation={current} aside={aside} hint={t('desk.kept')} />
      </div>
      <div>
        <SecondStep first={<h2 className={classes.sideTitle}>{t('desk.recent')}</h2>}>
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
          {!isPhone && (
            <KeyHints
              cards={Math.min(templates.length, mostCards) + 1}
              isResult={shown !== undefined && !opened}
              isMany={many !== undefined}
            />
          )}
          <div style={{ marginTop: 28 }}>
            <CheckCode site={site} onOpen={setOpened} />
          </div>
        </SecondStep>
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
  const { data } = useQuery(voucherQuery(opened?.id))
  return [opened && data?.id === opened.id ? data : opened, setOpened] as const
}

function emptyInput(site: Site, templates: Template[], { time_zone: timeZone }: GuestInfo): DeskInput {
  const template = firstTemplate(site.id, templates)
  return template
    ? { name: '', choice: template.id, limits: unusedLimits }
    : { name: '', choice: custom, limits: limitsOf(undefined, timeZone) }
}

/** The form for the next guest. It begins with the default template. Without a default, the choice stays. */
function nextInput(input: DeskInput, templates: Template[]): DeskInput {
  const template = defaultTemplate(templates)
  if (template) return { name: '', choice: template.id, limits: unusedLimits }
  return { ...input, name: '', limits: { ...input.limits, reference: '' }, message: undefined }
}

/** Stored input with its template or, if the site does not have that one, with the first choice of the site. */
function withKnownTemplate(
  input: DeskInput | undefined,
  templates: Template[],
  empty: () => DeskInput,
): DeskInput | undefined {
  const isKnown = input?.choice === custom || templates.some(({ id }) => id === input?.choice)
  return isKnown ? input : input && { ...empty(), name: input.name }
}

/** Focuses a field so that somebody can go on typing. */
function focusEnd(field: HTMLInputElement | null): void {
  field?.focus()
  field?.setSelectionRange(field.value.length, field.value.length)
}

/** The guest in the panel is also in the list while the outcome is open, and as soon as there is a voucher. */
function isListed({ status }: Creation): boolean {
  return status.kind === 'unknown' || status.kind === 'made'
}

function KeyHints({ cards, isResult, isMany }: { cards: number; isResult: boolean; isMany: boolean }) {
  const { t } = useTranslation()
  const isTyping = useFieldFocus()
  return (
    <Group gap="4px 10px" mt={10} mih={44} align="start" c="dimmed" fz={12}>
      {isResult && !isTyping && (
        <Text span inherit>
          <kbd className={classes.key}>{'⏎'}</kbd> {t('desk.next-guest')}
        </Text>
      )}
      {!isResult && !isTyping && (
        <Text span inherit>
          <kbd className={classes.key}>N</kbd> {t('desk.hint-new')}
        </Text>
      )}
      {!isResult && (
        <Text span inherit>
          <kbd className={classes.key}>{isTyping ? 'Alt 1' : 1}</kbd> – <kbd className={classes.key}>{cards}</kbd>{' '}
          {t('desk.hint-template')}
        </Text>
      )}
      {!isResult && !isMany && isTyping && (
        <Text span inherit>
          <kbd className={classes.key}>↓</kbd> {t('found.hint')}
        </Text>
      )}
      <UnstyledButton fz={12} c="dimmed" onClick={openShortcuts}>
        <kbd className={classes.key}>?</kbd> {t('desk.hint-keys')}
      </UnstyledButton>
    </Group>
  )
}
