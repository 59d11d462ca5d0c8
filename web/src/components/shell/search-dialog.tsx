import '@mantine/spotlight/styles.layer.css'
import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import {
  IconBuilding,
  IconBuildings,
  IconCirclePlus,
  IconPlugConnected,
  IconSearch,
  IconTicket,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Site, Voucher } from '../../../../client/voucher-api.generated.ts'
import { toApiError } from '../../api.ts'
import { useFoundSites } from '../../found-sites.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { foundVouchersQuery } from '../../queries/vouchers.ts'
import { usePerson } from '../../session.tsx'
import { isFailing, siteStateText, toneOf, useAllSitesName, useFindSite, useScope } from '../../sites.ts'
import { StateDot } from '../state-dot.tsx'
import { errorTexts } from '../state-pages.tsx'
import { StatusMark, StatusWords } from '../voucher/status-mark.tsx'
import classes from './app-shell.module.css'
import { useEntries } from './navigation.tsx'

const [store, spotlight] = createSpotlight()
const mostSites = 6

type Props = {
  opened: boolean
  onClose: () => void
  /** The text in the field. It starts with what was typed before the dialog was loaded. */
  query: string
  onQueryChange: (query: string) => void
  /** Collects what is typed until the field has the focus. */
  earlyKeys: ReactNode
}

/** Finds sites by name, vouchers by code or name, actions and pages. Enter opens the first hit. */
export function SearchDialog({ opened, onClose, query, onQueryChange, earlyKeys }: Props) {
  const { t } = useTranslation()
  const [hasFocus, setHasFocus] = useState(false)
  useEffect(() => (opened ? spotlight.open() : spotlight.close()), [opened])
  const words = query.trim().toLowerCase()
  const pages = useEntries().filter(({ label }) => words === '' || t(label).toLowerCase().includes(words))
  const found = useFoundVouchers(words)
  const navigate = useNavigate()
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={onQueryChange}
      onSpotlightClose={onClose}
      shortcut={null}
      scrollable
      maxHeight={420}
      centered={false}
      yOffset="12dvh"
      overlayProps={{ blur: 0, backgroundOpacity: 0.4 }}
      classNames={{
        content: classes.results ?? '',
        action: classes.hit ?? '',
        search: classes.query ?? '',
        actionsGroup: classes.hits ?? '',
      }}
      aria-label={t('search.label')}
    >
      {opened && !hasFocus && earlyKeys}
      <Spotlight.Search
        onFocus={() => setHasFocus(true)}
        onBlur={() => setHasFocus(false)}
        placeholder={t('search.placeholder')}
        aria-label={t('search.placeholder')}
        leftSection={<IconSearch size={18} aria-hidden />}
      />
      <Spotlight.ActionsList>
        <FoundSites words={words} />
        <FoundVouchers {...found} />
        <Actions words={words} />
        {pages.length > 0 && (
          <Spotlight.ActionsGroup label={t('search.pages')}>
            {pages.map(({ to, label, Icon }) => (
              <Spotlight.Action
                dimmedSections={false}
                key={to}
                label={t(label)}
                leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
                onClick={() => void navigate({ to })}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
      </Spotlight.ActionsList>
      <SelectedFirst words={words} vouchers={found.vouchers} />
    </Spotlight.Root>
  )
}

/** Selects the first hit. Spotlight does so only when somebody types, and vouchers arrive later. */
function SelectedFirst({ words, vouchers }: { words: string; vouchers: Voucher[] }) {
  useEffect(() => {
    if (words === '') return
    const list = document.getElementById(store.getState().listId)
    list?.querySelector('[data-selected]')?.removeAttribute('data-selected')
    list?.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
    store.setState({ ...store.getState(), selected: 0 })
  }, [words, vouchers])
  return null
}

/** Sites whose name contains the words. Choosing one makes it the site of the whole app. */
function FoundSites({ words }: { words: string }) {
  const { t } = useTranslation()
  const { sites = [], choose } = useScope()
  const all = useAllSitesName()
  const isPhone = useLayout() === 'phone'
  const matching = useFoundSites(words, { isShown: words !== '' }).found
  if (sites.length < 2) return null
  const found = words === '' ? [] : matching
  const isAllFound = all.toLowerCase().includes(words)
  if (found.length === 0 && !isAllFound) return null
  return (
    <Spotlight.ActionsGroup label={t('search.sites')}>
      {isAllFound && (
        <Spotlight.Action
          dimmedSections={false}
          label={all}
          leftSection={<IconBuildings size={18} stroke={1.7} aria-hidden />}
          onClick={() => choose(undefined)}
        />
      )}
      {found.slice(0, mostSites).map(({ id, name, state }) => (
        <Spotlight.Action
          dimmedSections={false}
          key={id}
          label={name}
          leftSection={<IconBuilding size={18} stroke={1.7} aria-hidden />}
          {...(isPhone
            ? { description: t(siteStateText(state)) }
            : {
                rightSection: (
                  <Text component="span" className={classes.hitState ?? ''} fz={13} c={stateColor(state)}>
                    <StateDot tone={toneOf(state)} />
                    {t(siteStateText(state))}
                  </Text>
                ),
              })}
          onClick={() => choose(id)}
        />
      ))}
    </Spotlight.ActionsGroup>
  )
}

function stateColor(state: Site['state']): string {
  return isFailing(state) ? `var(--vs-${toneOf(state)}-text)` : 'dimmed'
}

/** Actions at the first site that was found or, if the words are part of their names, at the chosen site. */
function Actions({ words }: { words: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { site: chosen } = useScope()
  const isAdmin = usePerson().role === 'admin'
  const [found] = useFoundSites(words, { isShown: words !== '' }).found
  if (words === '') return null
  const site = found ?? chosen
  if (!site) return null
  const { id, name } = site
  const actions = [
    {
      label: t('search.new-voucher', { name }),
      Icon: IconCirclePlus,
      run: () => navigate({ to: '/desk', search: { site: id } }),
    },
    {
      label: t('search.test-controller', { name }), // the page of a site tests its controller when it opens
      Icon: IconPlugConnected,
      run: () => navigate({ to: '/sites/$siteId', params: { siteId: String(id) } }),
    },
  ].slice(0, isAdmin ? 2 : 1)
  const wanted = actions.filter(({ label }) => found !== undefined || label.toLowerCase().includes(words))
  if (wanted.length === 0) return null
  return (
    <Spotlight.ActionsGroup label={t('search.actions')}>
      {wanted.map(({ label, Icon, run }) => (
        <Spotlight.Action
          dimmedSections={false}
          key={label}
          label={label}
          leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
          onClick={() => void run()}
        />
      ))}
    </Spotlight.ActionsGroup>
  )
}

const noVouchers: Voucher[] = []

/** Vouchers by name at the chosen site, or by code at all sites. Digits and hyphens are a code, everything else is a name. */
function useFoundVouchers(words: string): { vouchers: Voucher[]; error: unknown } {
  const { site } = useScope()
  const [wanted] = useDebouncedValue(words, 150)
  const isCode = /^[\d-]{3,}$/.test(wanted)
  const isName = !/^[\d-]*$/.test(wanted) && wanted.length >= 2
  const search = isCode ? { code: wanted.replaceAll('-', '') } : isName ? { text: wanted, siteId: site?.id } : undefined
  const { data, error } = useQuery(foundVouchersQuery(search))
  return { vouchers: data ?? noVouchers, error }
}

function FoundVouchers({ vouchers, error }: { vouchers: Voucher[]; error: unknown }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { sites = [], site } = useScope()
  const isPhone = useLayout() === 'phone'
  const find = useFindSite()
  const siteName = (id: number) => (sites.length < 2 ? '' : (find(id)?.name ?? ''))
  if (error) {
    const isSlow = toApiError(error).error === 'search_too_slow' // the text of the API names parameters
    return (
      <Text px="md" fz={13} c="dimmed">
        {isSlow ? t('search.too-slow') : errorTexts(t, error).text}
      </Text>
    )
  }
  if (vouchers.length === 0) return null
  return (
    <Spotlight.ActionsGroup label={t('search.vouchers')}>
      {vouchers.map(({ id, name, formatted_code, status, site_id: siteId }) => (
        <Spotlight.Action
          dimmedSections={false}
          key={id}
          label={name}
          leftSection={<IconTicket size={18} stroke={1.7} aria-hidden />}
          rightSection={
            <Text component="span" className={classes.hitState ?? ''} fz={13} c="dimmed">
              {isPhone ? <StatusMark status={status} /> : <StatusWords status={status} />}
              <span className="code">{formatted_code}</span>
            </Text>
          }
          description={siteName(siteId)}
          onClick={() =>
            void navigate({
              to: '/vouchers',
              search: (old) => ({ ...old, voucher: id, ...(siteId !== site?.id && { site: undefined }) }),
            })
          }
        />
      ))}
    </Spotlight.ActionsGroup>
  )
}
