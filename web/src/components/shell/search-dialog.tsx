import '@mantine/spotlight/styles.layer.css'
import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import { IconBuilding, IconBuildings, IconSearch, IconTicket } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Voucher } from '../../../../client/voucher-api.generated.ts'
import { api, toApiError } from '../../api.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { isFailing, siteStateText, toneOf, useAllSitesName, useScope } from '../../sites.ts'
import { errorTexts } from '../state-pages.tsx'
import classes from './app-shell.module.css'
import { useEntries } from './navigation.tsx'

const [store, spotlight] = createSpotlight()
const mostSites = 6
const mostVouchers = 5

type Props = {
  opened: boolean
  onClose: () => void
  /** The text in the field. It starts with what was typed before the dialog was loaded. */
  query: string
  onQueryChange: (query: string) => void
  /** Collects what is typed until the field has the focus. */
  earlyKeys: ReactNode
}

/** Finds sites by name, vouchers by code or name, and pages. Enter opens the first hit. */
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
  if (sites.length < 2) return null
  const found = words === '' ? [] : sites.filter(({ name }) => name.toLowerCase().includes(words))
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
                  <Text fz={13} c={isFailing(state) ? `var(--vs-${toneOf(state)}-text)` : 'dimmed'}>
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

const noVouchers: Voucher[] = []

/** Vouchers of the chosen site, or of all sites. Digits and hyphens are a code, everything else is a name. */
function useFoundVouchers(words: string): { vouchers: Voucher[]; error: unknown } {
  const { site } = useScope()
  const [wanted] = useDebouncedValue(words, 150)
  const isCode = /^[\d-]{3,}$/.test(wanted)
  const isName = !/^[\d-]*$/.test(wanted) && wanted.length >= 2
  const { data, error } = useQuery({
    queryKey: ['vouchers', 'search', site?.id, wanted],
    enabled: isCode || isName,
    queryFn: async () =>
      (
        await api.listVouchers({
          ...(site && { site_id: [site.id] }),
          ...(isCode ? { code: wanted.replaceAll('-', '') } : { text: wanted }),
          limit: mostVouchers,
        })
      ).vouchers,
    retry: false,
  })
  return { vouchers: data ?? noVouchers, error }
}

function FoundVouchers({ vouchers, error }: { vouchers: Voucher[]; error: unknown }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
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
      {vouchers.map(({ id, name, formatted_code }) => (
        <Spotlight.Action
          dimmedSections={false}
          key={id}
          label={name}
          leftSection={<IconTicket size={18} stroke={1.7} aria-hidden />}
          rightSection={<span className="code">{formatted_code}</span>}
          onClick={() => void navigate({ to: '/vouchers', search: (old) => ({ ...old, voucher: id }) })}
        />
      ))}
    </Spotlight.ActionsGroup>
  )
}
