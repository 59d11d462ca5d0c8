import { Skeleton } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../../components/empty-state.tsx'
import { SiteSelect } from '../../../components/site-select.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { addTexts } from '../../../i18n/i18n.ts'
import { useGuestInfo } from '../../../queries/guest-info.ts'
import { useFindSite, useScope } from '../../../sites.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { SlipEditor } from './slip-editor.tsx'
import type { SlipValues } from './slip-values.ts'

addTexts({ de, en })

/** What the slips of a site say: the lines, their order, the languages, and a picture of the result. */
export function SlipsTab() {
  const { t } = useTranslation()
  const { sites, error: failure, reload, site: ofScope, choose } = useScope()
  const [chosenId, setChosenId] = useState<number>()
  // Changes that are not saved stay while another site is open.
  const [drafts, setDrafts] = useState<Record<number, SlipValues>>({})
  const find = useFindSite()
  const chosen = chosenId === undefined ? null : find(chosenId)
  const site = ofScope ?? (chosen === null ? sites?.[0] : chosen)
  if (failure) return <ErrorMessage error={failure} onRetry={reload} />
  if (!sites || chosen === undefined) return <Skeleton h={560} radius="lg" />
  if (!site) return <EmptyState title={t('slips.no-site')} text={t('slips.no-site-text')} />
  const picker = (
    <SiteSelect
      label={t('slips.site')}
      allowDeselect={false}
      value={String(site.id)}
      onChange={(id) => (ofScope ? choose(Number(id)) : setChosenId(Number(id)))}
    />
  )
  return (
    <OfSite
      key={site.id}
      site={site}
      picker={picker}
      draft={drafts[site.id]}
      onDraft={(draft) => setDrafts((all) => ({ ...all, [site.id]: draft }))}
    />
  )
}

type OfSiteProps = Omit<Parameters<typeof SlipEditor>[0], 'stored'>

function OfSite(props: OfSiteProps) {
  const { data, error, refetch } = useGuestInfo(props.site.id)
  if (data) return <SlipEditor stored={data} {...props} />
  return error ? <ErrorMessage error={error} onRetry={() => void refetch()} /> : <Skeleton h={560} radius="lg" />
}
